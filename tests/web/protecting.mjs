// What scenarios of "Protect a table" do on the page.
import {rmSync} from "node:fs";
import path from "node:path";

export const protecting = ({settings}) => {
  const steps = page => page.getByRole("navigation", {name: "Steps"});
  const step = (page, name) => steps(page).getByRole("button", {name});
  const card = (page, column) => page.locator(`[data-column="${column}"]`);
  const laneOf = (page, title) => page.getByRole("region", {name: new RegExp(`^${title} \\d`)});
  const yaml = page => page.locator("#protect-yaml");
  const showYaml = page => page.getByRole("button", {name: "Show the YAML"}).click();
  const password = async (page, button) => {
    await page.getByLabel("Your password").fill(settings.passwords.operator);
    await page.locator(".password-form").getByRole("button", {name: button, exact: true}).click();
  };
  const fileOf = name => path.join(path.dirname(settings.policies), name);
  const forget = name => rmSync(fileOf(name), {force: true});

  async function openTable(page, table) {
    await page.goto(`${settings.url}#/protect`);
    await page.getByRole("heading", {name: "Protect a table", level: 1}).waitFor();
    await page.getByRole("button", {name: /^All/}).click();
    await page.getByLabel("Search tables and columns").fill(table.split(".")[1]);
    await page.getByRole("link", {name: new RegExp(`^(Protect|Edit) ${table.replace(".", "\\.")}$`)}).click();
    await page.getByRole("heading", {name: table, level: 1}).waitFor();
    await page.locator(".board").waitFor();
  }

  async function addReader(page, role) {
    await step(page, "Readers").click();
    await page.getByLabel("Add a role").fill(role);
    await page.getByRole("button", {name: "Add", exact: true}).click();
    await page.getByRole("button", {name: `Remove ${role}`}).waitFor();
  }

  async function applied(page) {
    await step(page, "Apply").click();
    await page.getByText("checked", {exact: true}).waitFor();
    await password(page, "Apply");
    await page.getByText("is in force.").waitFor();
  }

  return {steps, step, card, laneOf, yaml, showYaml, password, fileOf, forget, openTable, addReader, applied};
};
