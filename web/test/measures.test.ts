import assert from "node:assert/strict";
import {test} from "node:test";
import type {RunDetails} from "../src/desk-api.js";
import {attributesOf, bucketName, buckets, comparison, figuresOf} from "../src/measures.js";

test("records are gathered by the size of their class", () => {
  const made = buckets([[1, 4], [3, 2], [5, 1], [12_000, 1]]);
  assert.equal(made.reduce((sum, it) => sum + it.records, 0), 4 + 6 + 5 + 12_000);
  assert.deepEqual(made.slice(0, 3).map(it => it.records), [4, 6, 5]);
  assert.deepEqual(made.slice(0, 2).map(bucketName), ["1", "2 to 4"]);
  assert.equal(bucketName(made[made.length - 1]!), "10 000 and more");
  assert.deepEqual(buckets([]), []);
});

const run = (k: number, more: Partial<RunDetails> = {}): RunDetails => ({
  id: `page-${k}`, name: "a", state: "done", started_at: "", ended_at: "", checks: 7, best: 1, bound: null, decided_share: 1, message: null, hint: null,
  yaml: "", losses: [0.25], measures: null,
  report: {
    rows: 10, k, models: [], metric: "loss", quasi_identifiers: ["age"], columns: [], not_published: [], levels: [1], heights: [3],
    scores: {loss: 0.5}, published_rows: 10, classes: 2, smallest_class: 5, suppressed_rows: 0, dropped_rows: 0, hidden_rows: 0,
    certainty_penalty: 0.25, mondrian: null, search: {algorithm: "flash", is_proven: true, checks: 7}, phases_ms: {},
  },
  ...more,
});

test("a run without a result has the same names and no figures", () => {
  const names = (it: RunDetails) => figuresOf(it).map(([name]) => name);
  assert.deepEqual(names(run(5, {report: null})), names(run(5)));
  assert.deepEqual(attributesOf(run(5, {report: null})), []);
  assert.deepEqual(attributesOf(run(5)), [{name: "age", level: "1 of 3", loss: 0.25}]);
});

test("two runs stand side by side, with columns that only one has", () => {
  const other = run(10);
  other.report!.quasi_identifiers = ["town"];
  const made = comparison(run(5), other);
  assert.deepEqual(made[0], ["k", "5", "10"]);
  assert.deepEqual(made.filter(([name]) => name === "age" || name === "town"),
    [["age", "level 1 of 3, 25.0 % lost", "–"], ["town", "–", "level 1 of 3, 25.0 % lost"]]);
});
