// More of browser.mjs: jobs on a Spark cluster, which a stand-in plays (tests/integration/harness/stand_in_spark.py). The share of the records that
// is looked at tells it what to do.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";

const kFails = "13";
const kTakesItsTime = "17";

export const cluster = ({signedIn, open, openNewJob, people, everywhere, shot}) => {
  async function setUp(page, share) {
    await openNewJob(page);
    await page.getByLabel("Table", {exact: true}).setInputFiles(people());
    await page.getByText("300 records").waitFor();
    await page.getByLabel("Class of illness").selectOption("sensitive");
    await page.getByLabel("Algorithm").selectOption("mondrian, on a Spark cluster");
    await page.getByLabel("Workers").fill("2");
    await page.getByLabel(/^Share of the records/).fill(share);
    await page.getByLabel("Name", {exact: true}).fill("people_k5");
  }
  const run = page => page.getByRole("button", {name: "Run the job"}).click();
  const figure = (page, name) => page.locator(".figures div", {hasText: name}).locator("dd").first().innerText();

  return {
    async job_on_a_cluster(page) {
      await signedIn(page);
      await setUp(page, "50");
      await page.getByLabel(/^l: different/).fill("2");
      await page.getByLabel("How the table is divided").selectOption("quantiles");
      for (const label of ["Metric", "Suppression, per cent", "Seconds at most", "Widths of age"]) assert.equal(await page.getByLabel(label).count(), 0, label);
      await page.getByText("The job's text", {exact: true}).click();
      await page.getByText("pgveil-spark --partitions 2 --partition-by quantiles --sample 50% people_k5.yaml").waitFor();
      await page.getByText(/^version: 1[^]*algorithm: mondrian\nlimits/).waitFor();
      await page.getByLabel(/^t: distance/).fill("0.2");
      await run(page);
      await page.getByText("illness: mondrian can't keep t").waitFor();
      await page.getByLabel(/^t: distance/).fill("");
      await everywhere(page, "a job on a cluster");
      await run(page);
      await page.getByRole("link", {name: "Download the result"}).waitFor();
      await page.getByText(/, by Spark, 2 workers$/).waitFor();
      assert.equal(await figure(page, "rows published"), "300");
      assert.ok(Number(await figure(page, "smallest group")) >= 5);
      const parts = await page.getByRole("table", {name: /^Parts of the table/}).getByRole("row").allInnerTexts();
      assert.equal(parts.slice(1).reduce((sum, it) => sum + Number(it.split("\t")[1]), 0), 300);
      await page.getByRole("table", {name: /^Where the time went/}).getByRole("row", {name: /^making groups/}).waitFor();
      for (const title of ["Before", "After"]) await page.getByRole("table", {name: title}).waitFor();
      assert.match(await page.getByRole("table", {name: /^Loss of each/}).innerText(), /age\s+by group\s+\d/);
      await page.getByText("Not published: name.").waitFor();
      await everywhere(page, "a run on a cluster");
      await page.evaluate(() => scrollTo(0, 0));
      await shot(page, "spark-run");
      const download = page.waitForEvent("download");
      await page.getByRole("link", {name: "Download the result"}).click();
      const text = readFileSync(await (await download).path(), "utf8");
      assert.equal(text.trim().split("\n").length, 301);
      assert.doesNotMatch(text, /person/);
      await page.goBack();
      assert.equal(await page.getByLabel("Workers").inputValue(), "2");
      await page.getByLabel("Algorithm").selectOption("flash");
      assert.equal(await page.getByLabel("Workers").count(), 0);
      await run(page);
      await page.getByRole("link", {name: "Download the result"}).waitFor();
      await open(page, "Jobs");
      const runs = page.getByRole("table", {name: /^Your runs/});
      await runs.getByRole("row", {name: /page-1 people_k5 Spark, 2 workers done 5/}).waitFor();
      await runs.getByRole("row", {name: /page-2 people_k5 pgveil itself done 5/}).waitFor();
      await page.getByLabel("Compare page-1").check();
      await page.getByLabel("Compare page-2").check();
      await page.getByRole("link", {name: "Compare the two"}).click();
      await page.getByRole("row", {name: "run by Spark, 2 workers pgveil itself"}).waitFor();
      await page.getByRole("row", {name: "metric – loss"}).waitFor();
      await page.getByRole("row", {name: "models illness distinct 2 illness distinct 2"}).waitFor();
      await page.getByRole("row", {name: /^parts \d+ –$/}).waitFor();
      await everywhere(page, "a comparison with a cluster");
    },

    async job_on_a_cluster_that_fails(page) {
      await signedIn(page);
      await setUp(page, kFails);
      await run(page);
      await page.getByText("failed", {exact: true}).waitFor();
      const told = page.getByRole("alert");
      assert.match(await told.locator("strong").innerText(), /OUT_OF_MEMORY/);
      assert.notEqual(await told.locator(".hint").innerText(), "");
      assert.equal(await page.getByRole("link", {name: "Download the result"}).count(), 0);
      await everywhere(page, "a run on a cluster that failed");
    },

    async job_on_a_cluster_that_is_cancelled(page, seen) {
      await signedIn(page);
      await setUp(page, kTakesItsTime);
      await run(page);
      const steps = page.getByRole("list", {name: "Steps of the run"});
      await steps.waitFor();
      await steps.locator("[aria-current=step]").waitFor();
      assert.equal(await steps.getByRole("listitem").count(), 8);
      await page.getByText(/^Step \d of 8: /).waitFor();
      assert.match(await figure(page, "executors there"), /^\d of 2$/);
      await everywhere(page, "a run on a cluster that runs");
      const address = page.url();
      await page.goBack();
      seen.allow(/409/);
      await page.getByLabel("Algorithm").selectOption("flash");
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
      assert.equal(await steps.count(), 0);
    },
  };
};
