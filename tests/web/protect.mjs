// "Protect a table" in a real browser: from an empty configuration to the lines that readers paste, with slow
// and broken servers, sessions that end, other people's changes, odd names and very many tables.
import assert from "node:assert/strict";
import {writeFileSync} from "node:fs";
import {protecting} from "./protecting.mjs";

const kFolder = "policies";

export const protect = (common) => {
  const {settings, kPhone, kWide, signedIn, open, signInAgain, accessible, everywhere, shot} = common;
  const {step, card, laneOf, yaml, showYaml, password, fileOf, forget, openTable, addReader, applied} =
    protecting(common);

  return {
    // page_test.py then asks the proxy as a reader.
    async protect_a_table(page) {
      forget("patients.yaml");
      await signedIn(page);
      await page.goto(`${settings.url}#/protect`);
      await page.getByText(/tables look personal/).waitFor();
      await everywhere(page, "the list of tables");
      await shot(page, "protect-tables");
      await openTable(page, "public.patients");
      await laneOf(page, "Identifiers").locator('[data-column="email"]').waitFor();
      // By the mouse, and by the keyboard.
      await card(page, "insurer_id").dragTo(laneOf(page, "Quasi-identifiers"));
      await laneOf(page, "Quasi-identifiers").locator('[data-column="insurer_id"]').waitFor();
      await card(page, "diagnosis").focus();
      await card(page, "diagnosis").press("Enter");
      await page.getByRole("dialog").getByLabel(/^Sensitive/).check();
      await page.getByRole("dialog").getByRole("button", {name: "Done"}).click();
      await laneOf(page, "Sensitive").locator('[data-column="diagnosis"]').waitFor();
      await card(page, "city").click();
      await page.getByRole("dialog").getByLabel(/^Quasi-identifiers, first/).check();
      await page.getByRole("dialog").getByRole("button", {name: "Done"}).click();
      await laneOf(page, "Quasi-identifiers, first").locator('[data-column="city"]').waitFor();
      await card(page, "birth_year").click();
      await page.getByRole("dialog").getByRole("radio", {name: /^steps of 10 /}).click();
      await everywhere(page, "a column's dialog");
      await page.getByRole("dialog").getByRole("button", {name: "Done"}).click();
      await everywhere(page, "columns");
      await shot(page, "protect-columns");
      await showYaml(page);
      const levels = /birth_year: \{class: quasi_identifier, generalize: \{width: 10\}/;
      assert.match(await yaml(page).inputValue(), levels);
      await page.getByText("The form and this text say the same.").waitFor();
      await everywhere(page, "columns beside the YAML");
      await shot(page, "protect-yaml");
      await page.getByRole("button", {name: "Hide the YAML"}).first().click();

      await step(page, "Group size").click();
      await page.getByLabel("k", {exact: true}).fill("5");
      await page.getByText(/^At k = 5, counts by city are/).waitFor();
      await page.getByText("Counted from the table as it is now.").waitFor();
      await everywhere(page, "the curve of k");
      await shot(page, "protect-k");

      await step(page, "Preview").click();
      await password(page, "Show twenty rows");
      await page.getByRole("checkbox", {name: /^Show the \d+ columns that are always hidden/}).check();
      await page.getByRole("region", {name: "What readers see"}).getByText("hidden").first().waitFor();
      await everywhere(page, "a preview");
      await shot(page, "protect-preview");

      await addReader(page, "analyst");
      await everywhere(page, "readers");
      await step(page, "Apply").click();
      await page.getByText("checked", {exact: true}).waitFor();
      await everywhere(page, "what will be written");
      await shot(page, "protect-apply");
      await applied(page);
      await everywhere(page, "applied");
      await step(page, "Connect").click();
      await page.getByText(/psql -h 127\.0\.0\.1 -p \d+ -U analyst demo/).waitFor();
      await page.getByRole("tab", {name: "Metabase"}).click();
      await page.getByText("Database type: PostgreSQL").waitFor();
      await everywhere(page, "connect");
      await shot(page, "protect-connect");
      await page.goto(`${settings.url}#/protect`);
      await page.getByRole("button", {name: /^All/}).click();
      await page.getByRole("link", {name: "Edit public.patients"}).waitFor();
    },

    async undo_of_a_policy(page) {
      forget("folk.yaml");
      await signedIn(page);
      await openTable(page, "public.folk");
      await addReader(page, "analyst");
      await applied(page);
      await page.getByRole("button", {name: "Undo", exact: true}).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Your password").fill(settings.passwords.operator);
      await dialog.getByRole("button", {name: "Undo", exact: true}).click();
      await dialog.waitFor({state: "detached"});
      await page.getByRole("heading", {name: "Apply the policy"}).waitFor();
      await page.getByText(/folk\.yaml is a new file/).waitFor();
    },

    async form_and_text_are_in_step(page) {
      await signedIn(page);
      await openTable(page, "public.patients");
      await showYaml(page);
      const text = await yaml(page).inputValue();
      await yaml(page).fill(text.replace(/\bcity: +\{class: [a-z_]+/, "city: {class: sensitive"));
      await laneOf(page, "Sensitive").locator('[data-column="city"]').waitFor();
      await card(page, "city").press("ArrowLeft");
      await laneOf(page, "Identifiers").locator('[data-column="city"]').waitFor();
      assert.match(await yaml(page).inputValue(), /city: \{class: identifier/);
      await page.getByRole("status").getByText("city is in Identifiers now.").waitFor({state: "attached"});
      // The focus follows the card after it is drawn.
      await page.waitForFunction(() => document.activeElement?.dataset.column === "city");
      // A text that the form can't show is kept, and says why.
      await yaml(page).fill(text.replace("    k: ", "    entity: patient\n    k: "));
      await page.getByRole("heading", {name: "This policy can only be edited as YAML"}).waitFor();
      await page.getByText(/The form can't show it, because the policy is of an entity/).waitFor();
      await everywhere(page, "a policy that the form can't show");
      await yaml(page).fill(text);
      await page.locator(".board").waitFor();
      // Another page and back: nothing is lost.
      await yaml(page).fill(`${text}# my remark\n`);
      await open(page, "Query");
      await page.getByRole("heading", {name: "Query", level: 1}).waitFor();
      await page.goBack();
      await page.locator(".board").waitFor();
      await showYaml(page);
      assert.match(await yaml(page).inputValue(), /# my remark\n$/);
    },

    async expired_while_protecting(page, seen) {
      await signedIn(page);
      await openTable(page, "public.patients");
      await addReader(page, "bi");
      await page.context().clearCookies();
      seen.allow(/401/);
      await step(page, "Apply").click();
      await signInAgain(page);
      await step(page, "Readers").click();
      await page.getByRole("button", {name: "Remove bi"}).waitFor();
      await step(page, "Apply").click();
      await page.getByText("checked", {exact: true}).waitFor();
    },

    async network_gone_between_apply_and_build(page, seen) {
      forget("guests.yaml");
      seen.allow(/Failed to load resource|net::ERR/);
      await signedIn(page);
      await openTable(page, "public.guests");
      await addReader(page, "analyst");
      await step(page, "Apply").click();
      await page.getByText("checked", {exact: true}).waitFor();
      let isGone = true;
      for (const address of ["build", "state"])
        await page.route(`**/api/v1/${address}`, route => (isGone ? route.abort() : route.continue()));
      await password(page, "Apply");
      await page.getByText("The connection to pgveil was lost.").waitFor();
      await everywhere(page, "a lost connection");
      isGone = false;
      // It asks how things stand by itself; nothing was built, so building is offered.
      await page.getByRole("button", {name: /^Build guests/}).click();
      await page.getByText("is in force.").waitFor();
      forget("guests.yaml");  // others use the table as one without a policy
    },

    async two_people_protect_one_table(page, seen) {
      forget("odd.yaml");
      seen.allow(/409/);
      await signedIn(page);
      await openTable(page, "public.odd");
      await addReader(page, "analyst");
      await step(page, "Apply").click();
      await page.getByText("checked", {exact: true}).waitFor();
      await showYaml(page);
      const text = await yaml(page).inputValue();
      await page.getByRole("button", {name: "Hide the YAML"}).first().click();
      writeFileSync(fileOf("odd.yaml"), text.replace(/k: \d+/, "k: 3"));
      await password(page, "Apply");
      await page.getByRole("heading", {name: /^Somebody changed .*odd\.yaml/}).waitFor();
      await everywhere(page, "a conflict of files");
      await page.getByRole("button", {name: "Take theirs"}).click();
      await page.getByRole("button", {name: "Back to what I typed"}).click();
      await page.getByText("checked", {exact: true}).waitFor();
      forget("odd.yaml");
    },

    async wrong_password_and_slow_server(page, seen) {
      seen.allow(/403|500/);
      await signedIn(page);
      let isBroken = true;
      let answer;
      const mayAnswer = new Promise(done => (answer = done));
      await page.route("**/api/v1/protect/tables", async (route) => {
        await Promise.all([mayAnswer, new Promise(done => setTimeout(done, 700))]);
        if (!isBroken) return route.continue();
        const json = {message: "the database can't be reached", hint: "is it up?"};
        return route.fulfill({status: 500, json});
      });
      await page.goto(`${settings.url}#/protect`);
      await page.getByText("loading …").first().waitFor({state: "attached"});
      answer();
      await page.getByText("the database can't be reached").waitFor();
      await accessible(page, "a broken list of tables");
      isBroken = false;
      await page.getByRole("button", {name: "Try again"}).click();
      await page.getByText(/tables look personal/).waitFor();
      await openTable(page, "public.patients");
      await step(page, "Preview").click();
      await page.getByLabel("Your password").fill("wrong");
      await page.getByRole("button", {name: "Show twenty rows"}).click();
      await page.getByRole("alert").waitFor();
      assert.equal(await page.getByLabel("Your password").inputValue(), "");
      assert.equal(await page.locator(".sides").count(), 0);
    },

    async very_many_tables_and_columns(page) {
      await signedIn(page);
      const table = (name, more = {}) => ({
        table: `s.${name}`, schema: "s", name, kind: "table", rows: 5, state: "unlisted", why: null,
        policies: [], looks: "reference", reason: "nothing looks personal", personal: [], can_draft: true,
        why_not: null, ...more});
      const odd = 'a"b <i>ü</i>/%2F';
      const many = Array.from({length: 2000}, (_, at) => table(`t${at}`));
      const tables = [table(odd, {looks: "persons"}), ...many];
      await page.route("**/api/v1/protect/tables", route =>
        route.fulfill({json: {database: "demo", policy_folder: kFolder, tables}}));
      const columns = Array.from({length: 300}, (_, at) => ({
        name: at === 0 ? '<b>"x"</b>' : `c${at}`, type: "integer", kind: "number", nullable: true, key: false,
        unique: false, distinct: 9, nearly_unique: false, null_share: 0, hints: [],
        class: at < 3 ? "quasi_identifier" : "insensitive", reason: "few values", generalize: null,
        more: null}));
      await page.route("**/api/v1/protect/draft", route => route.fulfill({json: {
        rows: 5, columns, sampled: 0, may_count: true, looks: "persons", reason: "", draft: null,
        why_not: "nothing looks personal"}}));
      await page.goto(`${settings.url}#/protect`);
      await page.getByText("1 of 2 001 tables look personal").waitFor();
      await page.getByRole("button", {name: /^All/}).click();
      assert.ok(await page.locator(".found-table").count() <= 50);
      await page.getByLabel("Search tables and columns").fill("t1999");
      await page.getByRole("link", {name: "Protect s.t1999"}).waitFor();
      await page.getByLabel("Search tables and columns").fill("ü");
      await page.getByRole("link", {name: /^Protect s\./}).click();
      await page.getByRole("heading", {name: `s.${odd}`, level: 1}).waitFor();
      await page.locator(".board").waitFor();
      assert.equal(await page.locator(".column-card").count(), 300);
      await page.getByLabel("Search columns").fill("c299");
      assert.equal(await page.locator(".column-card").count(), 1);
      const start = Date.now();
      await card(page, "c299").press("ArrowLeft");
      await laneOf(page, "Sensitive").locator('[data-column="c299"]').waitFor();
      console.log(`one of 300 columns is moved in ${Date.now() - start} ms`);
      await page.getByLabel("Search columns").fill("");
      await page.setViewportSize(kPhone);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      await page.setViewportSize(kWide);
      assert.equal(await page.locator("main b, main i").count(), 0);
    },

    async without_authors_rights(page) {
      await page.route("**/api/v1/session", async (route) => {
        const answer = await route.fetch();
        const session = await answer.json();
        const json = session && {...session, policy_authors: false, raw_rows: false};
        await route.fulfill({response: answer, json});
      });
      await signedIn(page);
      await openTable(page, "public.patients");
      await step(page, "Preview").click();
      await page.getByText("You may not look at raw rows").waitFor();
      await accessible(page, "a preview that is refused");
      await addReader(page, "somebody");
      await step(page, "Apply").click();
      await page.getByRole("heading", {name: "Hand it over"}).waitFor();
      const commands = await page.getByLabel("the two commands", {exact: true}).innerText();
      assert.match(commands, /RELOAD;\nBUILD POLICY /);
      const [file] = await Promise.all([
        page.waitForEvent("download"), page.getByRole("button", {name: /^Save .*\.yaml/}).click()]);
      assert.match(file.suggestedFilename(), /\.yaml$/);
      await accessible(page, "a policy to hand over");
    },
  };
};
