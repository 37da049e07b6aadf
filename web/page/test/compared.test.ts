import assert from "node:assert/strict";
import {test} from "node:test";
import {comparedFigures, comparedSettings, difference} from "../src/compared.js";
import type {Report, RunDetails} from "../src/page-jobs-api.js";

const run = (more: Partial<Report> = {}, losses = [0.25]) =>
  ({
    id: "page-1",
    name: "a",
    state: "done",
    checks: 7,
    losses,
    measures: null,
    report: {
      rows: 10,
      k: 5,
      models: [],
      metric: "loss",
      quasi_identifiers: ["age"],
      levels: [1],
      heights: [3],
      scores: {loss: 0.5, height: 3},
      published_rows: 10,
      classes: 2,
      smallest_class: 5,
      suppressed_rows: 0,
      certainty_penalty: 0.25,
      mondrian: null,
      search: {algorithm: "flash", is_proven: true, checks: 7},
      recoding: [],
      is_recoding_proven: true,
      ...more,
    },
  }) as unknown as RunDetails;

const byName = (one: RunDetails, other: RunDetails) =>
  new Map(comparedFigures(one, other).map((it) => [it.name, it]));

test("the better of two figures wins, in its own direction", () => {
  const other = {published_rows: 8, suppressed_rows: 2, certainty_penalty: 0.1, classes: 2};
  const made = byName(run(), run(other, [0.1]));
  assert.equal(made.get("records published")?.winner, "left");
  assert.equal(made.get("records suppressed")?.winner, "left");
  assert.equal(made.get("information loss (GCP)")?.winner, "right");
  assert.equal(made.get("loss of age")?.winner, "right");
  assert.equal(made.get("equivalence classes")?.winner, null, "equal");
  assert.equal(made.get("transformations evaluated")?.winner, null);
  assert.equal(difference(made.get("records published")!), "−2");
  assert.equal(difference(made.get("information loss (GCP)")!), "−15.0\u00a0%");
  assert.equal(difference(made.get("equivalence classes")!), "=");
});

test("scores of two metrics are not compared, and what one run lacks has no winner", () => {
  assert.equal(byName(run(), run({metric: "height"})).has("score (loss)"), false);
  assert.equal(byName(run(), run({scores: {loss: 0.25}})).get("score (loss)")?.winner, "right");
  const town = byName(run(), run({quasi_identifiers: ["town"]})).get("loss of age");
  assert.deepEqual([town?.left, town?.right, town?.winner], [0.25, null, null]);
  assert.equal(difference(town!), "–");
});

test("what was asked stands side by side, with columns that only one has", () => {
  const made = comparedSettings(run(), run({k: 10, quasi_identifiers: ["town"]}));
  assert.deepEqual(made[0], ["k", "5", "10"]);
  assert.deepEqual(made.filter(([name]) => name.startsWith("level")), [
    ["level of age", "1 of 3", "–"],
    ["level of town", "–", "1 of 3"],
  ]);
});
