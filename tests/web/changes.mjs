// More of browser.mjs: what several people change at once, what listed admins see, sessions that end in
// mid-edit, phones.
import assert from "node:assert/strict";
import {readFileSync, writeFileSync} from "node:fs";

export const changes = ({
  settings, kPhone, heading, signedIn, open, openNewJob, people, signInAgain, accessible, everywhere, shot,
}) => ({
  async expired_while_a_job_is_set_up(page, seen) {
    await signedIn(page);
    await openNewJob(page);
    await page.getByLabel("Table", {exact: true}).setInputFiles(people());
    await page.getByText(/^300 records, /).waitFor();
    await page.getByLabel("Class of illness").selectOption("sensitive");
    await page.getByLabel("Widths of age").fill("5, 10, 20");
    await page.context().clearCookies();
    seen.allow(/401/);
    await page.getByRole("button", {name: "Run the job"}).click();
    await signInAgain(page);
    assert.equal(await page.getByLabel("Class of illness").inputValue(), "sensitive");
    assert.equal(await page.getByLabel("Widths of age").inputValue(), "5, 10, 20");
    await page.getByRole("button", {name: "Run the job"}).click();
    await page.getByRole("link", {name: "Download the result"}).waitFor();
  },

  async on_a_phone(page) {
    await page.setViewportSize(kPhone);
    const fits = async where => {
      await accessible(page, where);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${where} is ${overflow} pixels too wide`);
    };
    await signedIn(page);
    await open(page, "Query");
    await page.getByLabel("Role").fill("analyst");
    // The statement that the page begins with comes with the tables of the role.
    await page.waitForFunction(() => document.querySelector("#sql").value.startsWith("SELECT "));
    await page.getByRole("button", {name: "Show rows"}).click();
    await page.getByRole("table", {name: "Rows as analyst sees them"}).waitFor();
    await fits("rows on a phone");
    await openNewJob(page);
    await page.getByLabel("Table", {exact: true}).setInputFiles(people());
    await page.getByText(/^300 records, /).waitFor();
    await page.getByLabel("Widths of age").fill("5, 10, 20");
    await fits("setting up a job on a phone");
    await page.getByRole("button", {name: "Run the job"}).click();
    await page.getByRole("link", {name: "Download the result"}).waitFor();
    await fits("a run on a phone");
    await open(page, "Jobs");
    await page.getByRole("table", {name: /^Your runs/}).waitFor();
    await fits("runs on a phone");
  },

  async conflict_of_builds(page, seen) {
    await signedIn(page);
    await page.goto(`${settings.url}#/policies/people_k2`);
    const version = of => of.locator(".facts div", {hasText: "Version"}).locator("dd");
    const isVersion = (of, wanted) =>
      of.locator(".facts div", {hasText: new RegExp(`^Version\\s*${wanted}$`)}).waitFor();
    await version(page).waitFor();
    const number = Number(await version(page).innerText());
    const other = await (await page.context().browser().newContext()).newPage();
    other.setDefaultTimeout(settings.timeout_ms);
    await signedIn(other);
    await other.goto(`${settings.url}#/policies/people_k2`);
    await other.getByRole("button", {name: "Build a new version"}).click();
    await isVersion(other, number + 1);
    seen.allow(/412/);
    await page.getByRole("button", {name: "Build a new version"}).click();
    await page.getByRole("heading", {name: "Somebody else changed this policy first"}).waitFor();
    await page.getByText(`it was version ${number}, and is version ${number + 1}`).waitFor();
    await accessible(page, "a conflict of builds");
    await shot(page, "conflict");
    await page.getByRole("button", {name: "Build anyway"}).click();
    await isVersion(page, number + 2);
    await other.getByRole("button", {name: "Build a new version"}).click();
    await other.getByRole("button", {name: "Show the current state"}).click();
    await isVersion(other, number + 2);
    const conflict = other.getByRole("heading", {name: "Somebody else changed this policy first"});
    await conflict.waitFor({state: "detached"});
    await other.close();
  },

  async conflict_of_designs(page) {
    const text = readFileSync(settings.policies, "utf8");
    const changed = text.replace("k: 2", "k: 4");
    await signedIn(page);
    await open(page, "Policy editor");
    const editor = page.getByLabel("Policies (YAML)");
    await page.getByRole("button", {name: "Open the policy file"}).click();
    await page.getByText(/^Began as policies\/policies\.yaml/).waitFor();
    assert.equal(await editor.inputValue(), text);
    await editor.fill(`${text}# mine\n`);
    try {
      writeFileSync(settings.policies, changed);
      await page.getByRole("button", {name: "Save as a file"}).click();
      await page.getByRole("heading", {name: /Somebody changed policies\/policies\.yaml/}).waitFor();
      assert.match(await page.getByLabel("What they changed").innerText(), /- +k: 2\n\+ +k: 4/);
      await accessible(page, "a conflict of designs");
      await shot(page, "conflict-design");
      await page.getByRole("button", {name: "Take theirs"}).click();
      assert.equal(await editor.inputValue(), changed);
      await page.getByRole("button", {name: "Back to what I typed"}).click();
      assert.equal(await editor.inputValue(), `${text}# mine\n`);
      writeFileSync(settings.policies, text);
      await page.getByRole("button", {name: "Save as a file"}).click();
      await page.getByRole("heading", {name: /Somebody changed/}).waitFor();
      await page.getByRole("button", {name: "Take both changes together"}).click();
      // Theirs took k: 4 back, mine never had it.
      assert.equal(await editor.inputValue(), `${text}# mine\n`);
      const download = page.waitForEvent("download");
      await page.getByRole("button", {name: "Save as a file"}).click();
      await download;
    } finally {
      writeFileSync(settings.policies, text);
    }
  },

  async columns_of_a_table(page) {
    await signedIn(page);
    await open(page, "Policy editor");
    const editor = page.getByLabel("Policies (YAML)");
    await editor.fill((await editor.inputValue()).replace("      state:      {class: quasi_identifier}\n", ""));
    await page.getByText("One policy, no mistake found.").waitFor();
    await page.getByText("Columns of public.people in demo").click();
    const board = page.locator(".board");
    await board.waitFor();
    assert.doesNotMatch(await board.innerText(), /Whately|Hamlet/);
    const card = name => page.locator(`[data-column="${name}"]`);
    assert.match(await card("state").innerText(), /not listed/);
    await card("id").click();
    await page.getByRole("dialog").getByText(/of the primary key/).waitFor();
    await page.getByRole("dialog").getByRole("button", {name: "Done"}).click();
    await page.getByRole("button", {name: "Add one unlisted column as proposed"}).click();
    assert.match(await editor.inputValue(), /\n {6}state: \{class: [a-z_]+\}\n/);
    await card("state").click();
    await page.getByRole("dialog").getByLabel(/^Sensitive/).check();
    await page.getByRole("dialog").getByRole("button", {name: "Done"}).click();
    await page.getByText("One policy, no mistake found.").waitFor();
    assert.match(await editor.inputValue(), /\n {6}state: \{class: sensitive\}\n/);
    await accessible(page, "columns of a table");
    await shot(page, "columns");
    // What the board can't show stays a text.
    const sourced = (await editor.inputValue()).replace("    k: 5", "    source: public.people\n    k: 5");
    await editor.fill(sourced);
    await page.getByText(/^These columns can only be edited as YAML, because .* a source/).waitFor();
  },

  async raw_rows(page, seen) {
    await signedIn(page);
    await page.goto(`${settings.url}#/policies/people_k2`);
    await page.getByRole("tab", {name: "Raw beside masked"}).click();
    await page.getByRole("heading", {name: "Raw rows beside masked ones"}).waitFor();
    seen.allow(/403/);
    await page.getByLabel("Your password").fill("wrong");
    await page.getByRole("button", {name: "Show raw rows"}).click();
    await page.getByText("the password is wrong").waitFor();
    await page.getByLabel("Your password").fill(settings.passwords.operator);
    await page.getByRole("button", {name: "Show raw rows"}).click();
    const table = page.getByRole("table", {name: /^Rows of public\.people beside/});
    await table.waitFor();
    assert.equal(await page.getByLabel("Your password").inputValue(), "");
    const row = await table.getByRole("row", {name: /Withamsville/}).innerText();
    assert.deepEqual(row.split("\t").map(it => it.trim()), ["8", "hidden", "Accountant", "hidden", "Withamsville", "hidden", "OH", "OH"]);
    await accessible(page, "raw rows");
    await table.scrollIntoViewIfNeeded();
    await shot(page, "raw-rows");
    await page.getByRole("button", {name: "Hide them"}).click();
    assert.equal(await table.count(), 0);
    await page.goto(`${settings.url}#/policies/markup_k2`);
    await heading(page, "markup_k2");  // until then the page before is shown, which has such a tab, too
    await page.getByRole("tab", {name: "Raw beside masked"}).click();
    await page.getByLabel("Your password").fill(settings.passwords.operator);
    await page.getByRole("button", {name: "Show raw rows"}).click();
    await page.getByRole("cell", {name: /<img src=x onerror=/}).first().waitFor();
    assert.equal(await page.locator("main img, main script").count(), 0);
  },

  async job_over_a_table(page, seen) {
    await signedIn(page);
    await openNewJob(page);
    await page.getByLabel("Table of the database").selectOption("public.folk");
    await page.getByRole("button", {name: "Take this table"}).click();
    await page.getByText("public.folk of demo").waitFor();
    assert.equal(await page.getByLabel("Class of id").inputValue(), "identifier");
    await page.getByLabel("Widths of age").fill("5, 10, 20");
    await page.getByLabel("Class of illness").selectOption("sensitive");
    await page.getByLabel("Also to a table (schema.table)").fill("public.folk_published");
    await accessible(page, "a job over a table");
    seen.allow(/403/);
    await page.getByLabel("Your password, for a job over tables").fill("wrong");
    await page.getByRole("button", {name: "Run the job"}).click();
    await page.getByText("the password is wrong").waitFor();
    await page.getByLabel("Your password, for a job over tables").fill(settings.passwords.operator);
    await page.getByRole("button", {name: "Run the job"}).click();
    await page.getByRole("link", {name: "Download the result"}).waitFor();
    await page.goBack();
    await page.getByLabel("Your password, for a job over tables").fill(settings.passwords.operator);
    await page.getByRole("button", {name: "Run the job"}).click();
    await page.getByText("failed", {exact: true}).waitFor();
    assert.match(await page.getByRole("alert").innerText(), /folk_published/);
  },

  async values_of_a_table(page, seen) {
    await signedIn(page);
    await openNewJob(page);
    await page.getByLabel("Table of the database").selectOption("public.guests");
    await page.getByRole("button", {name: "Take this table"}).click();
    await page.getByText("public.guests of demo").waitFor();
    await page.getByLabel("Class of illness").selectOption("sensitive");
    assert.equal(await page.getByLabel("Hierarchy of town").inputValue(), "hide");
    const password = page.getByLabel("Your password, to look at values");
    seen.allow(/403/);
    await password.fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("the password is wrong").waitFor();
    assert.equal(await password.inputValue(), "");
    assert.equal(await page.getByLabel("Hierarchy of town").inputValue(), "hide");
    await password.fill(settings.passwords.operator);
    await page.getByRole("button", {name: "Look at its values"}).click();
    await page.getByText("Looked at 300 records of public.guests.").waitFor();
    assert.equal(await page.getByLabel("Class of illness").inputValue(), "sensitive");
    assert.equal(await page.getByLabel("Class of name").inputValue(), "identifier");
    await page.getByText("integer; 40 different values; numbers from 20 to 59").waitFor();
    await page.getByText("text; 3 different values; 30 NULL").waitFor();
    assert.equal(await page.getByLabel("Widths of age").inputValue(), "2, 10, 20");
    assert.equal(await page.getByLabel("Hierarchy of town").inputValue(), "table");
    await page.getByText(/^Edit the levels of town/).click();
    await page.getByRole("button", {name: "Add a level to town"}).click();
    for (const [town, side] of [["Aber", "north"], ["Bree", "north"], ["Cork", "south"], ["NULL", "unknown"]])
      await page.getByLabel(`${town} at level 1`).fill(side);
    await everywhere(page, "values of a table");
    await page.getByRole("table", {name: /^Levels of town/}).scrollIntoViewIfNeeded();
    await shot(page, "table-values");
    await page.getByLabel("Your password, for a job over tables").fill(settings.passwords.operator);
    await page.getByRole("button", {name: "Run the job"}).click();
    await page.getByRole("link", {name: "Download the result"}).waitFor();
    await page.getByRole("img", {name: /^records in equivalence classes of this size: 1 \d+, 0/}).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", {name: "Download the result"}).click();
    assert.doesNotMatch(readFileSync(await (await download).path(), "utf8"), /person/);
  },

  async markup_in_values_of_a_table(page) {
    await signedIn(page);
    await openNewJob(page);
    await page.getByLabel("Table of the database").selectOption("public.odd");
    await page.getByRole("button", {name: "Take this table"}).click();
    await page.getByLabel("Your password, to look at values").fill(settings.passwords.operator);
    await page.getByRole("button", {name: "Look at its values"}).click();
    await page.getByText(/^Edit the levels of word/).click();
    await page.getByRole("rowheader", {name: /<img src=x onerror=/}).waitFor();
    assert.equal(await page.locator("main img, main script").count(), 0);
    await page.waitForFunction(it => document.title === it, "Set up a job · Jobs · pgveil");
  },
});
