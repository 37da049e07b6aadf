// More of browser.mjs: what a job promises of a column, and its text, edited in place of the form.
import assert from "node:assert/strict";

const kTowns = {name: "towns.csv", mimeType: "text/csv", buffer: Buffer.from("Aber;north;*\nBree;north;*\nCork;south;*\n")};

// A search through ten million transformations, so that it still runs when somebody looks.
const kColumns = Array.from({length: 9}, (_, i) => `c${i}`);
const kLong = {
  name: "long.csv",
  mimeType: "text/csv",
  buffer: Buffer.from([kColumns, ...Array.from(
    {length: 3000}, (_, g) => kColumns.map((_, i) => (g * (i + 3)) % 97))].join("\n")),
};
const kLongJob = `version: 1
name: long
input: {file: long.csv}
attributes:
${kColumns.map(it => `  ${it}: {class: quasi_identifier, hierarchy: {intervals: {widths: [2, 4, 8, 16, 32]}}}`).join("\n")}
k: 5
algorithm: brute_force
output: {file: out.csv}
`;

export const jobTexts = ({settings, signedIn, openNewJob, people, signInAgain, everywhere, shot}) => {
  const run = page => page.getByRole("button", {name: "Run the job"}).click();
  const editorOf = page => page.getByLabel("The job's text (YAML)");
  const right = page => page.getByText("No mistake found.").waitFor();
  const result = page => page.getByRole("link", {name: "Download the result"}).waitFor();
  /** The focus moves after what is new was painted. */
  const focused = async locator =>
    locator.page().waitForFunction(it => it === document.activeElement, await locator.elementHandle());

  async function setUp(page) {
    await openNewJob(page);
    await page.getByLabel("Table", {exact: true}).setInputFiles(people());
    await page.getByText(/^300 records, /).waitFor();
    await page.getByLabel("Class of illness").selectOption("sensitive");
    await page.getByLabel("Widths of age").fill("5, 10, 20");
  }

  async function toText(page) {
    await page.getByRole("button", {name: "Edit the text"}).click();
    await right(page);
    return editorOf(page).inputValue();
  }

  return {
    async models_of_a_column(page) {
      await signedIn(page);
      await setUp(page);
      assert.equal(await page.getByLabel("Beta of illness").isVisible(), false);
      await page.getByText("More models of illness", {exact: true}).click();
      await page.getByLabel("Entropy l of illness").fill("1.5");
      await page.getByLabel("Recursive c of illness").fill("3");
      await page.getByLabel("Beta of illness").fill("0");
      await run(page);
      await page.getByText("illness: beta is a number above 0.").waitFor();
      await page.getByLabel("Beta of illness").fill("3");
      await run(page);
      await page.getByText("illness: recursive l-diversity needs both c and l.").waitFor();
      await page.getByLabel("Recursive l of illness").fill("2");
      await page.getByLabel("Algorithm").selectOption("mondrian");
      await page.getByLabel("Delta of illness").fill("1");
      await page.getByText("Groups can't keep delta-disclosure").waitFor();
      await run(page);
      await page.getByText("illness: an algorithm that makes groups can't keep delta-disclosure.").waitFor();
      await page.getByText("How groups are cut", {exact: true}).click();
      await page.getByRole("combobox", {name: "Cuts"}).selectOption("drawn");
      assert.equal(await page.getByRole("combobox", {name: "Cut by"}).count(), 0);
      await page.getByLabel("Ranges").selectOption("region");
      await everywhere(page, "models of a column");
      for (const name of ["Recursive c of illness", "Recursive l of illness", "Beta of illness", "Delta of illness"])
        await page.getByLabel(name).fill("");
      await run(page);
      await result(page);
      await page.getByText("The job's text", {exact: true}).click();
      const text = /l_diversity: \{entropy: 1\.5\}[^]*resist: \[downcoding[^]*\{ranges: region\}/;
      await page.getByText(text).waitFor();
      await page.goBack();
      await page.getByLabel("Algorithm").selectOption("flash");
      await page.getByLabel("Delta of illness").fill("1");
      await page.getByText("Search settings", {exact: true}).click();
      await page.getByLabel("Further transformations").fill("5");
      await run(page);
      await page.getByText("illness: delta-disclosure can't be kept with further transformations").waitFor();
      await page.getByLabel("Delta of illness").fill("");
      await run(page);
      await result(page);
      await page.locator(".figures div", {hasText: "rows shown by further transformations"}).getByText(/^\d+(, by \d)?$/).waitFor();
      await page.goBack();
      await page.getByLabel("Delta of illness").fill("2");
      await page.getByText("Search settings", {exact: true}).click();
      await page.getByLabel("Further transformations").fill("0");
      await run(page);
      await result(page);
      await page.locator(".figures div", {hasText: "models"}).getByText(/delta/).waitFor();
    },

    async job_text(page) {
      await signedIn(page);
      await setUp(page);
      const text = await toText(page);
      const editor = editorOf(page);
      await focused(editor);
      assert.match(text, /hierarchy: \{file: "levels_3\.csv"\}/);
      assert.equal(await page.getByRole("button", {name: "Run the job"}).count(), 1, "what is run is the text alone");
      await editor.fill(text.replace("metric: loss", "metric: loss\ngx: 0.3"));
      const line = text.slice(0, text.indexOf("metric: loss")).split("\n").length + 1;
      await page.getByRole("status").getByText(`Line ${line}, column 1: `).waitFor();
      await run(page);
      await page.getByRole("alert").filter({hasText: `Line ${line}, column 1: `}).waitFor();
      await everywhere(page, "a mistake in a job's text");
      await page.evaluate(() => scrollTo(0, 0));
      await shot(page, "job-text");
      await page.getByRole("button", {name: "Go there"}).click();
      assert.equal(await editor.evaluate(it => it.value.slice(it.selectionStart, it.selectionStart + 3)), "gx:");
      const mended = text.replace("metric: loss", "metric: loss\ngs: 0.3").replace("levels_3.csv", "towns.csv");
      await editor.fill(mended);
      await page.getByText("the job names a file that was not uploaded").waitFor();
      assert.equal(await page.getByText(/^Line 1, column 1/).count(), 0);
      await page.getByLabel("Add a file").setInputFiles(kTowns);
      await page.getByRole("button", {name: "Remove towns.csv"}).waitFor();
      await right(page);
      await page.getByRole("button", {name: "Back to the form"}).click();
      await page.getByText(/^The form's text replaces this one/).waitFor();
      await everywhere(page, "a job's text, on the way back");
      await page.getByRole("button", {name: "Keep my text"}).click();
      await run(page);
      await result(page);
      await page.getByText("The job's text", {exact: true}).click();
      await page.getByText(/metric: loss\ngs: 0\.3/).waitFor();
      await page.goBack();
      assert.equal(await editor.inputValue(), mended);
      await page.getByRole("button", {name: "Back to the form"}).click();
      await page.getByRole("button", {name: "Replace my text with the form's"}).click();
      await focused(page.getByRole("button", {name: "Edit the text"}));
      assert.equal(await page.getByLabel("Class of illness").inputValue(), "sensitive");
      assert.equal(await toText(page), text);
      await page.getByRole("button", {name: "Back to the form"}).click();
      await page.getByLabel("Class of illness").waitFor();
      assert.equal(await page.getByText(/^The form's text replaces/).count(), 0, "nothing was changed, so nothing is asked");
      await run(page);
      await result(page);
    },

    async job_with_mondrian(page, seen) {
      await signedIn(page);
      await setUp(page);
      const command = page.getByText("--url jdbc:postgresql://HOST/DATABASE --user ROLE --output FOLDER people.yaml");
      assert.equal(await command.count(), 0, "flash is for this machine only");
      await page.getByLabel("Algorithm").selectOption("mondrian");
      for (const label of ["Metric", "Suppression, per cent", "Seconds at most", "Widths of age"])
        assert.equal(await page.getByLabel(label).count(), 0, label);
      await command.waitFor();
      await everywhere(page, "a job with mondrian");
      const ofFile = await toText(page);
      await editorOf(page).fill(ofFile.replace("k: 5", "k: 10").replace('"people"', "mine"));
      await right(page);
      await run(page);
      await result(page);
      assert.ok(Number(await page.locator(".figures div", {hasText: "smallest group"}).locator("dd").first().innerText()) >= 10);
      assert.match(await page.getByRole("table", {name: /^Loss of each/}).innerText(), /age\s+by group\s+\d/);
      await page.goBack();
      const ofTable = ofFile.replace(/^input: .*$/m, "input: {table: public.folk, database: demo}").replace('"name"', '"id"');
      await editorOf(page).fill(ofTable);
      await right(page);
      seen.allow(/403/);
      await run(page);
      await page.getByRole("alert").getByText("jobs over tables need your password again").waitFor();
      await page.getByLabel(/^Your password, if/).fill(settings.passwords.operator);
      await run(page);
      await result(page);
    },

    async job_while_another_runs(page, seen) {
      await signedIn(page);
      await setUp(page);
      await toText(page);
      await page.getByLabel("Add a file").setInputFiles(kLong);
      await page.getByRole("button", {name: "Remove long.csv"}).waitFor();
      await editorOf(page).fill(kLongJob);
      await right(page);
      await run(page);
      await page.getByRole("progressbar", {name: /^Share of transformations/}).waitFor();
      await everywhere(page, "a run that is not done");
      const address = page.url();
      await page.goBack();
      seen.allow(/409/);
      await run(page);
      await page.getByRole("alert").waitFor();
      assert.match(await page.getByRole("alert").innerText(), /page-1/);
      await everywhere(page, "a job while another runs");
      await page.getByRole("link", {name: "Jobs: what runs now"}).click();
      await page.getByRole("row", {name: /^page-1 running/}).waitFor();
      await page.goto(address);
      await page.getByRole("button", {name: "Cancel"}).click();
      await page.getByText("cancelled", {exact: true}).waitFor();
      assert.equal(await page.getByRole("link", {name: "Download the result"}).count(), 0);
      assert.equal(await page.getByRole("progressbar").count(), 0);
    },

    async job_text_is_kept(page, seen) {
      await signedIn(page);
      await setUp(page);
      const mine = (await toText(page)).replace("k: 5", "k: 10");
      await editorOf(page).fill(mine);
      await right(page);
      await page.waitForFunction(() => Object.values(sessionStorage).some(it => it.includes("k: 10")));
      await page.reload();
      await right(page);
      assert.equal(await editorOf(page).inputValue(), mine);
      await page.context().clearCookies();
      seen.allow(/401/);
      await editorOf(page).fill(`${mine}# half a thought\n`);
      await signInAgain(page);
      assert.equal(await editorOf(page).inputValue(), `${mine}# half a thought\n`);
      await page.getByRole("button", {name: "Check again"}).click();
      await right(page);
      await run(page);
      await result(page);
      await page.locator(".figures div", {hasText: /^k/}).getByText("10", {exact: true}).waitFor();
      const kept = () => page.evaluate(() => sessionStorage.length);
      assert.equal(await kept(), 1);
      await page.context().clearCookies();
      await signedIn(page, "watcher");
      assert.equal(await kept(), 0, "another role finds nothing");
      await page.getByRole("button", {name: "Sign out"}).click();
      await page.getByRole("heading", {name: "Sign in to pgveil"}).waitFor();
      await signedIn(page);
      await setUp(page);
      await toText(page);
      assert.equal(await kept(), 1);
      await page.getByRole("button", {name: "Sign out"}).click();
      await page.getByRole("heading", {name: "Sign in to pgveil"}).waitFor();
      assert.equal(await kept(), 0, "who signs out leaves nothing");
      await signedIn(page);
      await openNewJob(page);
      await page.getByLabel("Table", {exact: true}).waitFor();
    },
  };
};
