// More of browser.mjs: what can come between Apply and a policy in force, before a real server and
// PostgreSQL.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {once} from "node:events";
import {existsSync, readFileSync, writeFileSync} from "node:fs";
import {protecting} from "./protecting.mjs";

export const applying = (common) => {
  const {settings, signedIn, accessible, everywhere, shot} = common;
  const {step, card, laneOf, password, fileOf, forget, openTable, addReader} = protecting(common);

  /** As the owner of the database, past pgveil. ended: without an error. */
  function started(...more) {
    const words = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", String(settings.postgres_port)];
    const child = spawn("psql", [...words, "-U", "postgres", "-d", "demo", ...more]);
    let told = "";
    child.stderr.on("data", it => (told += it));
    const ended = once(child, "close").then(([code]) => assert.equal(code, 0, told));
    return {child, ended};
  }

  const psql = sql => started("-c", sql).ended;

  /** Somebody else holds the table until the function that is returned is called. */
  async function held(table) {
    const {child, ended} = started();
    child.stdin.write(`BEGIN; LOCK TABLE ${table};\n\\echo locked\n`);
    await Promise.race([once(child.stdout, "data"), ended.then(() => assert.fail("the table is not held"))]);
    return () => {
      child.stdin.end("COMMIT;\n");
      return ended;
    };
  }

  async function readyToApply(page, table) {
    await openTable(page, table);
    await addReader(page, "analyst");
    await step(page, "Apply").click();
    await page.getByText("checked", {exact: true}).waitFor();
  }

  return {
    async rights_are_missing_and_the_build_shows_its_progress(page) {
      forget("visits.yaml");
      await signedIn(page);
      // Nothing is known of the columns of a table that pgveil may not read.
      await openTable(page, "public.visits");
      await card(page, "city").dragTo(laneOf(page, "Quasi-identifiers"));
      await laneOf(page, "Quasi-identifiers").locator('[data-column="city"]').waitFor();
      await addReader(page, "analyst");
      await step(page, "Apply").click();
      await page.getByText("checked", {exact: true}).waitFor();
      await page.getByText("Rights are missing.").waitFor();
      const sql = await page.getByLabel("the SQL that grants the rights", {exact: true}).innerText();
      assert.match(sql, /GRANT SELECT .*ON .*visits/);
      await everywhere(page, "rights that are missing");
      await psql(sql);
      await page.getByRole("button", {name: "Check again"}).click();
      await page.getByText("Rights are missing.").waitFor({state: "detached"});
      await page.getByText("checked", {exact: true}).waitFor();
      // Somebody else holds the table for a while, so the build has to wait for it.
      const release = await held("public.visits");
      await password(page, "Apply");
      await page.getByRole("progressbar", {name: "Build of visits"}).waitFor();
      await page.getByText(/^Building visits: (?!waiting for the server)/).waitFor();
      await everywhere(page, "a build that runs");
      await shot(page, "protect-build");
      await release();
      await page.getByText("is in force.").waitFor();
      await page.getByRole("progressbar").waitFor({state: "detached"});
      forget("visits.yaml");
    },

    async the_configuration_can_t_be_reloaded(page, seen) {
      forget("members.yaml");
      seen.allow(/409/);
      await signedIn(page);
      await readyToApply(page, "public.members");
      const config = readFileSync(settings.config, "utf8");
      try {
        writeFileSync(settings.config, `${config}nonsense: 1\n`);
        await password(page, "Apply");
        await page.getByText("the configuration can't be reloaded with it").waitFor();
        await page.getByText("nothing has changed: the former file was put back").waitFor();
        assert.match(await page.getByRole("alert").innerText(), /nonsense/);
        await everywhere(page, "a reload that failed");
        assert.equal(existsSync(fileOf("members.yaml")), false);
      } finally {
        writeFileSync(settings.config, config);
      }
      await password(page, "Apply");
      await page.getByText("is in force.").waitFor();
      // A change of the file that is there: it gets its former text back.
      const before = readFileSync(fileOf("members.yaml"), "utf8");
      await step(page, "Group size").click();
      await page.getByLabel("k", {exact: true}).fill("9");
      await step(page, "Apply").click();
      await page.getByText("checked", {exact: true}).waitFor();
      try {
        writeFileSync(settings.config, `${config}nonsense: 1\n`);
        await password(page, "Apply");
        await page.getByText("nothing has changed: the former file was put back").waitFor();
        assert.equal(readFileSync(fileOf("members.yaml"), "utf8"), before);
      } finally {
        writeFileSync(settings.config, config);
        forget("members.yaml");
      }
    },

    async two_admins_apply_at_once(page, seen) {
      forget("members.yaml");
      seen.allow(/409/);
      const other = await (await page.context().browser().newContext()).newPage();
      other.setDefaultTimeout(settings.timeout_ms);
      await signedIn(page);
      await signedIn(other);
      await openTable(page, "public.members");
      await step(page, "Group size").click();
      await page.getByLabel("k", {exact: true}).fill("7");
      await addReader(page, "analyst");
      await step(page, "Apply").click();
      await page.getByText("checked", {exact: true}).waitFor();
      await readyToApply(other, "public.members");
      await Promise.all([password(other, "Apply"), other.getByText("is in force.").waitFor()]);
      const theirs = readFileSync(fileOf("members.yaml"), "utf8");
      await password(page, "Apply");
      await page.getByRole("heading", {name: /^Somebody changed .*members\.yaml/}).waitFor();
      assert.match(await page.getByLabel("What they changed").innerText(), /\+ .*table: public\.members/);
      assert.equal(readFileSync(fileOf("members.yaml"), "utf8"), theirs);
      await page.getByRole("button", {name: "Keep mine"}).click();
      await page.getByText("checked", {exact: true}).waitFor();
      await password(page, "Apply");
      await page.getByText("is in force.").waitFor();
      const mine = readFileSync(fileOf("members.yaml"), "utf8");
      assert.match(mine, /k: 7/);
      // What the other one did is covered by now, so it can't be undone.
      await other.getByRole("button", {name: "Undo", exact: true}).click();
      const dialog = other.getByRole("dialog");
      await dialog.getByLabel("Your password").fill(settings.passwords.operator);
      await dialog.getByRole("button", {name: "Undo", exact: true}).click();
      await dialog.getByText("Somebody changed the file after you. Nothing was undone.").waitFor();
      await accessible(other, "an undo that came too late");
      assert.equal(readFileSync(fileOf("members.yaml"), "utf8"), mine);
      await other.context().close();
      forget("members.yaml");
    },
  };
};
