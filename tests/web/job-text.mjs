// More of browser.mjs: what a job promises of a column, and its text, edited in place of the form.
import assert from "node:assert/strict";

const kTowns = {name: "towns.csv", mimeType: "text/csv", buffer: Buffer.from("Aber;north;*\nBree;north;*\nCork;south;*\n")};

export const jobTexts = ({settings, signedIn, openNewJob, people, signInAgain, everywhere, shot}) => {
  const run = page => page.getByRole("button", {name: "Run the job"}).click();
  const editorOf = page => page.getByLabel("The job's text (YAML)");
  const right = page => page.getByText("No mistake found.").waitFor();
  const result = page => page.getByRole("link", {name: "Download the result"}).waitFor();
  const isFocused = locator => locator.evaluate(it => it === document.activeElement);

  async function setUp(page) {
    await openNewJob(page);
    await page.getByLabel("Table", {exact: true}).setInputFiles(people());
    await page.getByText("300 records").waitFor();
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
      await page.getByText("Mondrian can't keep recursive l-diversity, beta-likeness").waitFor();
      await run(page);
      await page.getByText("illness: mondrian can't keep recursive l-diversity, beta-likeness.").waitFor();
      await page.getByText("How groups are cut", {exact: true}).click();
      await page.getByLabel("Ranges").selectOption("region");
      await everywhere(page, "models of a column");
      for (const name of ["Recursive c of illness", "Recursive l of illness", "Beta of illness"]) await page.getByLabel(name).fill("");
      await run(page);
      await result(page);
      await page.getByText("The job's text", {exact: true}).click();
      await page.getByText(/l_diversity: \{entropy: 1\.5\}[^]*mondrian: \{ranges: region\}/).waitFor();
      await page.goBack();
      await page.getByLabel("Algorithm").selectOption("flash");
      await page.getByLabel("Delta of illness").fill("1");
      await page.getByLabel("Further transformations").fill("5");
      await run(page);
      await page.getByText("illness: delta-disclosure can't be kept with further transformations").waitFor();
      await page.getByLabel("Delta of illness").fill("");
      await run(page);
      await result(page);
      await page.locator(".figures div", {hasText: "rows shown by further transformations"}).getByText(/^\d+(, by \d)?$/).waitFor();
      await page.goBack();
      await page.getByLabel("Delta of illness").fill("2");
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
      assert.ok(await isFocused(editor));
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
      await page.getByLabel("A further file").setInputFiles(kTowns);
      await page.getByRole("button", {name: "Remove towns.csv"}).waitFor();
      await right(page);
      await page.getByRole("checkbox", {name: /^On the Spark cluster/}).check();
      await page.getByText("a cluster cuts groups, and this job searches").waitFor();
      await page.getByRole("checkbox", {name: /^On the Spark cluster/}).uncheck();
      await right(page);
      await page.getByRole("button", {name: "Back to the form"}).click();
      await page.getByText(/^The form's text replaces this one/).waitFor();
      await everywhere(page, "a job's text, on the way back");
      await page.getByRole("button", {name: "Stay with my text"}).click();
      await run(page);
      await result(page);
      await page.getByText("The job's text", {exact: true}).click();
      await page.getByText(/metric: loss\ngs: 0\.3/).waitFor();
      await page.goBack();
      assert.equal(await editor.inputValue(), mended);
      await page.getByRole("button", {name: "Back to the form"}).click();
      await page.getByRole("button", {name: "Replace my text by the form's"}).click();
      assert.ok(await isFocused(page.getByRole("button", {name: "Edit the text"})));
      assert.equal(await page.getByLabel("Class of illness").inputValue(), "sensitive");
      assert.equal(await toText(page), text);
      await page.getByRole("button", {name: "Back to the form"}).click();
      await page.getByLabel("Class of illness").waitFor();
      assert.equal(await page.getByText(/^The form's text replaces/).count(), 0, "nothing was changed, so nothing is asked");
      await run(page);
      await result(page);
    },

    async job_text_elsewhere(page, seen) {
      await signedIn(page);
      await setUp(page);
      await page.getByLabel("Algorithm").selectOption("mondrian, on a Spark cluster");
      await page.getByLabel("Workers").fill("2");
      await page.getByLabel(/^Share of the records/).fill("50");
      const ofCluster = await toText(page);
      assert.equal(await page.getByLabel("Workers").inputValue(), "2");
      await editorOf(page).fill(ofCluster.replace("k: 5", "k: 10").replace("my_job", "mine"));
      await page.getByText("pgveil-spark --partitions 2 --partition-by multidimensional --sample 50% mine.yaml").waitFor();
      await everywhere(page, "a job's text for a cluster");
      await run(page);
      await result(page);
      await page.getByText(/, by Spark, 2 workers$/).waitFor();
      await page.goBack();
      await page.getByRole("checkbox", {name: /^On the Spark cluster/}).uncheck();
      const ofTable = ofCluster.replace(/^input: .*$/m, "input: {table: public.folk, database: demo}").replace('"name"', '"id"');
      await editorOf(page).fill(ofTable);
      await right(page);
      seen.allow(/403/);
      await run(page);
      await page.getByRole("alert").getByText("jobs over tables need your password again").waitFor();
      await page.getByLabel(/^Your password, if/).fill(settings.passwords.operator);
      await run(page);
      await result(page);
    },

    async job_text_is_kept(page, seen) {
      await signedIn(page);
      await setUp(page);
      const mine = (await toText(page)).replace("k: 5", "k: 10");
      await editorOf(page).fill(mine);
      await right(page);
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
