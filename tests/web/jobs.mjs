// More of browser.mjs: jobs, from the files that are dropped to runs that are compared.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";

const csv = (name, lines) => ({name, mimeType: "text/csv", buffer: Buffer.from(lines.join("\n") + "\n")});

const kJobs = ["clerk", "nurse", "smith", "baker", "pilot", "tailor"];
const kNumbers = ["age", "size", "score", "shoe"];

/** 600 records, separated by semicolons; some values have commas. Pilots and tailors are rare. */
function folk() {
  const jobOf = i => (i % 50 === 0 ? "pilot" : i % 49 === 0 ? "tailor" : kJobs[i % 4]);
  const lines = Array.from({length: 600}, (_, i) =>
    [20 + ((i * 7) % 40), `${jobOf(i)}`, `"Aber, ${i % 3 ? "north" : "south"}"`, (i * 13) % 5 ? "flu" : "gout"].join(";"));
  return csv("Folk 2024.csv", ["age;occupation;town;illness", ...lines]);
}

const hierarchyOf = (name, separator = ";") => {
  const ages = Array.from({length: 40}, (_, i) => 20 + i);
  const lines = {
    age: ages.map(it => [it, `${10 * Math.floor(it / 10)}s`, "*"]),
    occupation: kJobs.slice(0, 5).map(it => [it, "work", "*"]),
  }[name];
  return csv(`folk_hierarchy_${name}.csv`, lines.map(it => it.join(separator)));
};

export const jobs = ({signedIn, open, openNewJob, heading, people, accessible, everywhere, shot}) => {
  const run = page => page.getByRole("button", {name: "Run the job"}).click();
  const result = page => page.getByRole("link", {name: "Download the result"}).waitFor();

  async function downloaded(page, name) {
    const download = page.waitForEvent("download");
    await page.getByRole("link", {name: "Download the result"}).click();
    const made = await download;
    assert.equal(made.suggestedFilename(), name);
    return readFileSync(await made.path(), "utf8");
  }

  return {
    async set_up_a_job(page) {
      await signedIn(page);
      await open(page, "Jobs");
      await page.getByRole("link", {name: "Set up a job"}).click();
      await heading(page, "Set up a job");
      const table = page.getByLabel("Table", {exact: true});
      await table.setInputFiles({name: "book.xlsx", mimeType: "application/zip", buffer: Buffer.from([0x50, 0x4b, 3, 4, 0xff])});
      await page.getByRole("alert").waitFor();
      assert.match(await page.getByRole("alert").innerText(), /not UTF-8 text/);
      await table.setInputFiles(people());
      await page.getByText(/^300 records, /).waitFor();
      assert.equal(await page.getByLabel("Class of name").inputValue(), "identifier");
      await page.getByLabel("Class of illness").selectOption("sensitive");
      await page.getByLabel("l of illness: different values in each class").fill("2");
      assert.equal(await page.getByLabel("Hierarchy of age").inputValue(), "intervals");
      await page.getByText(/^Edit the levels of town/).click();
      await page.getByRole("button", {name: "Add a level to town"}).click();
      await page.getByLabel("Aber at level 1").fill("north");
      await page.getByLabel("Bree at level 1").fill("north");
      await page.getByLabel("Cork at level 1").fill("south");
      await page.getByLabel("Widths of age").fill("");
      await page.getByRole("button", {name: "Run the job"}).click();
      await page.getByText("age: intervals need widths").waitFor();
      await page.getByLabel("Widths of age").fill("5, 12");
      await page.getByRole("button", {name: "Run the job"}).click();
      await page.getByRole("heading", {name: /^people/}).waitFor();
      await page.getByText("failed", {exact: true}).waitFor();
      assert.match(await page.getByRole("alert").innerText(), /age/);
      await page.goBack();
      await page.getByLabel("Widths of age").fill("5, 10, 20");
      await page.getByLabel("Algorithm").selectOption("brute_force");
      await everywhere(page, "setting up a job");
      await page.evaluate(() => scrollTo(0, 0));
      await shot(page, "new-job");
      await page.getByRole("button", {name: "Run the job"}).click();
      await page.getByRole("link", {name: "Download the result"}).waitFor();
      await page.getByRole("img", {name: /15 transformations/}).waitFor();
      await page.getByText("proven optimum").first().waitFor();
      await page.getByText("Evaluated transformations (15)").click();
      await page.getByRole("table", {name: "Evaluated transformations, in order"}).waitFor();
      await everywhere(page, "a run");
      await page.getByText("Evaluated transformations (15)").click();
      await page.evaluate(() => scrollTo(0, 0));
      await shot(page, "run");
      await page.getByRole("heading", {name: "Lattice"}).scrollIntoViewIfNeeded();
      await page.getByRole("img", {name: /15 transformations/}).scrollIntoViewIfNeeded();
      await shot(page, "lattice");
      const text = await downloaded(page, "people_anonymized.csv");
      assert.match(text, /^age,town,illness\r\n/);
      assert.doesNotMatch(text, /person/);
      await page.goBack();
      await page.getByLabel("k", {exact: true}).fill("20");
      await page.getByRole("button", {name: "Run the job"}).click();
      await page.getByRole("link", {name: "Download the result"}).waitFor();
      await open(page, "Jobs");
      await page.getByRole("table", {name: /^Your runs/}).waitFor();
      assert.ok(await page.getByLabel("Compare page-1").isDisabled(), "a failed run has nothing to compare");
      await everywhere(page, "runs");
      await page.getByLabel("Compare page-3").check();
      await page.getByLabel("Compare page-2").check();
      await page.getByRole("link", {name: "Compare the two"}).click();
      await page.getByRole("row", {name: "k 20 5", exact: true}).waitFor();
      await page.getByRole("row", {name: /^smallest equivalence class .* better/}).waitFor();
      await page.getByText(/people · brute_force · k 20 is better in \d+ of the \d+ figures/).waitFor();
      await everywhere(page, "a comparison");
      await page.evaluate(() => scrollTo(0, 0));
      await shot(page, "comparison");
      await page.goBack();
      await page.getByRole("link", {name: "page-1"}).click();
      await page.getByRole("button", {name: /^Remove the run/}).click();
      await page.getByRole("table", {name: /^Your runs/}).waitFor();
      assert.equal(await page.getByRole("link", {name: "page-1"}).count(), 0);
    },

    async files_of_a_job(page, seen) {
      await signedIn(page);
      await openNewJob(page);
      const table = page.getByLabel("Table", {exact: true});
      await table.setInputFiles(hierarchyOf("age"));
      await page.getByText("these files are all hierarchies; bring their table first").waitFor();
      await table.setInputFiles([hierarchyOf("age", ","), folk(), hierarchyOf("occupation"), csv("race.csv", ["a;*"])]);
      await page.getByText("600 records, 4 columns").waitFor();
      assert.equal(await page.getByLabel("Separator").inputValue(), ";");
      await page.getByRole("cell", {name: "Aber, south"}).first().waitFor();
      await page.getByText("folk_hierarchy_age.csv generalizes age.").waitFor();
      await page.getByText("folk_hierarchy_occupation.csv lacks values of occupation: \"tailor\"").waitFor();
      await page.getByText("race.csv has the name of no column.").waitFor();
      assert.equal(await page.getByLabel("Hierarchy of age").inputValue(), "file");
      assert.equal(await page.getByLabel("Name", {exact: true}).inputValue(), "folk_2024");
      const unique = columns => page.getByText(new RegExp(`of the first 600 records .* \\(${columns}\\)`)).waitFor();
      await unique("age, occupation, town, illness");
      await page.getByLabel("Class of illness").selectOption("sensitive");
      await unique("age, occupation, town");
      await page.getByLabel("Hierarchy of occupation").selectOption("table");
      await page.getByText(/^Edit the levels of occupation \(6 values, \d levels\)/).click();
      assert.equal(await page.getByLabel("tailor at level 1").inputValue(), "other", "rare values are joined");
      assert.equal(await page.getByLabel("clerk at level 1").inputValue(), "clerk");
      await everywhere(page, "files of a job");
      await page.evaluate(() => scrollTo(0, 0));
      await shot(page, "job-files");
      seen.allow(/400/);  // the wrong separator
      await page.getByLabel("Separator").selectOption(",");
      await page.getByRole("alert").filter({hasText: "cells"}).or(page.getByRole("alert").filter({hasText: "fields"})).waitFor();
      await page.getByLabel("Separator").selectOption(";");
      await page.getByLabel("Class of illness").selectOption("sensitive");
      await run(page);
      await result(page);
      const text = await downloaded(page, "folk_2024_anonymized.csv");
      assert.match(text, /^age;occupation;town;illness\r\n/);
    },

    async a_table_of_one_column(page) {
      await signedIn(page);
      await openNewJob(page);
      await page.getByLabel("Table", {exact: true}).setInputFiles(csv("one.csv", ["word", "a", "b"]));
      await page.getByText("The table has only one column.").waitFor();
      await everywhere(page, "a table of one column");
    },

    async suppressed_records(page) {
      await signedIn(page);
      await openNewJob(page);
      const rare = Array.from({length: 6}, (_, i) => `${60 + 5 * i},rare${i},flu`);
      const many = Array.from({length: 200}, (_, i) => `${20 + (i % 2)},${i % 4 ? "Aber" : "Bree"},${i % 3 ? "flu" : "gout"}`);
      await page.getByLabel("Table", {exact: true}).setInputFiles(csv("rare.csv", ["age,town,illness", ...many, ...rare]));
      await page.getByText(/^206 records, /).waitFor();
      await page.getByLabel("Class of illness").selectOption("sensitive");
      await page.getByLabel("Class of town").selectOption("quasi_identifier");
      await page.getByLabel("Hierarchy of town").selectOption("hide");
      await page.getByLabel("Widths of age").fill("100");
      assert.equal(await page.getByLabel("Suppressed records").inputValue(), "drop");
      const starred = text => text.split("\r\n").filter(line => line.startsWith("*,*,")).length;
      for (const [words, stars, rows, told] of [
        ["drop", 0, 200, "6 suppressed records are left out"],
        ["keep_or_drop", 6, 206, "6 suppressed records show * and their other columns"],
      ]) {
        await page.getByLabel("Suppressed records").selectOption(words);
        await run(page);
        await result(page);
        await page.getByText(told).waitFor();
        await page.getByRole("img", {name: /left out 0, 6$|shown as \* only 0, 6$/}).waitFor();
        const text = await downloaded(page, "rare_anonymized.csv");
        assert.equal(starred(text), stars, words);
        assert.equal(text.trim().split("\r\n").length, rows + 1, words);
        await page.goBack();
      }
    },

    async a_differentially_private_job(page) {
      await signedIn(page);
      await openNewJob(page);
      const towns = ["Aber", "Bree", "Cork"];
      const lines = Array.from({length: 3000}, (_, i) =>
        [`person ${i}`, 20 + (i % 40), towns[(i * 7) % 3], i % 2 ? "flu" : "gout"].join(","));
      await page.getByLabel("Table", {exact: true}).setInputFiles(csv("many.csv", ["name,age,town,illness", ...lines]));
      await page.getByText(/^3.000 records, /).waitFor();
      await page.getByLabel("Class of illness").selectOption("sensitive");
      await page.getByLabel("Algorithm").selectOption("least_loss");
      await page.getByLabel("Privacy model").selectOption("differential_privacy");
      for (const gone of ["Suppression, per cent", "Suppressed records", "Metric", "Further transformations"])
        assert.equal(await page.getByLabel(gone).count(), 0, gone);
      assert.equal(await page.getByLabel("k", {exact: true}).count(), 0, "k follows from epsilon and delta");
      await page.getByText("Differential privacy publishes no such column.").waitFor();
      await page.getByText("Groups depend on the data, so differential privacy can't be kept.").waitFor();
      await everywhere(page, "a differentially private job");
      const refused = async words => {
        await run(page);
        await page.getByRole("alert").filter({hasText: words}).waitFor();
      };
      await page.getByLabel("Delta").fill("0.5");
      await refused("Delta is a number from 1e-15 to 0.01.");
      await page.getByLabel("Delta").fill("0.0001");
      await refused("the groups depend on the data");
      await page.getByLabel("Algorithm").selectOption("flash");
      assert.equal(await page.getByLabel("Width of age").inputValue(), "", "the table suggests none");
      await refused("age: its intervals need one width");
      await page.getByLabel("Width of age").fill("20");
      await refused("illness: differential privacy publishes a column as a quasi-identifier or not at all");
      await page.getByLabel("Class of illness").selectOption("quasi_identifier");
      await page.getByLabel("Hierarchy of illness").selectOption({label: "the values as they are"});
      await run(page);
      await result(page);
      const sampled = page.getByText(/ of 3.000 records were sampled, each with a probability of 63\.2/);
      const told = await sampled.innerText();
      await page.getByText("ε 1, δ 0.0001").first().waitFor();
      await page.getByText(/^Publish one table of these people only/).waitFor();
      await page.getByRole("img", {name: /not sampled 0, [\d\s]+$/}).waitFor();
      await everywhere(page, "a differentially private run");
      const text = await downloaded(page, "many_anonymized.csv");
      const [header, ...shown] = text.trim().split("\r\n");
      assert.equal(header, "age,town,illness");
      assert.ok(shown.length <= Number(told.replace(/ of .*/s, "").replace(/\D/g, "")));
      const sizes = new Map();
      for (const row of shown) sizes.set(row, (sizes.get(row) ?? 0) + 1);
      for (const [row, size] of sizes) {
        assert.match(row, /^"?\[(20, 40|40, 60)\)"?,(Aber|Bree|Cork),(flu|gout)$/);
        assert.ok(size >= 20 && size <= 300, `${row} ${size}`);
      }
    },

    async a_large_lattice(page) {
      await signedIn(page);
      await openNewJob(page);
      const names = kNumbers;
      const rows = Array.from({length: 400}, (_, i) => names.map((_, at) => (i * (at + 3)) % 60).join(","));
      await page.getByLabel("Table", {exact: true}).setInputFiles(csv("numbers.csv", [names.join(","), ...rows]));
      await page.getByText(/^400 records, /).waitFor();
      for (const name of names) {
        await page.getByLabel(`Class of ${name}`).selectOption("quasi_identifier");
        await page.getByLabel(`Hierarchy of ${name}`).selectOption("intervals");
        await page.getByLabel(`Widths of ${name}`).fill(name === "age" ? "2, 4, 8, 16, 32, 64" : "2, 4, 8, 16");
      }
      await run(page);
      await result(page);
      await page.getByText("Each of the 1 728 transformations".replace("1 728", "1\u00a0728")).waitFor();
      await page.getByRole("table", {name: /^Transformations by the sum of their levels/}).waitFor();
      const sums = page.getByRole("rowheader", {name: /^\d+( \(chosen\))?$/});
      assert.ok(await sums.count() >= 23, "a strip for each sum from 0 to 22");
      await page.getByRole("rowheader", {name: /\(chosen\)$/}).first().waitFor();
      await page.getByLabel("Rows: levels of").selectOption({label: "shoe"});
      await page.getByRole("table", {name: "Best score of the evaluated transformations by the levels of shoe and size"}).waitFor();
      await everywhere(page, "a large lattice");
      await page.getByRole("heading", {name: "Lattice"}).scrollIntoViewIfNeeded();
      await page.getByRole("table", {name: /^Best score/}).scrollIntoViewIfNeeded();
      await shot(page, "large-lattice");
    },
  };
};
