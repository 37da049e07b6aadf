import assert from "node:assert/strict";
import {test} from "node:test";
import type {RunDetails} from "../src/page-jobs-api.js";
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
  id: `page-${k}`,
  name: "a",
  state: "done",
  started_at: "",
  ended_at: "",
  checks: 7,
  best: 1,
  bound: null,
  decided_share: 1,
  message: null,
  hint: null,
  yaml: "",
  losses: [0.25],
  measures: null,
  report: {
    rows: 10,
    k,
    models: [],
    metric: "loss",
    quasi_identifiers: ["age"],
    columns: [],
    not_published: [],
    levels: [1],
    heights: [3],
    scores: {loss: 0.5},
    published_rows: 10,
    classes: 2,
    smallest_class: 5,
    suppressed_rows: 0,
    dropped_rows: 0,
    hidden_rows: 0,
    certainty_penalty: 0.25,
    mondrian: null,
    search: {algorithm: "flash", is_proven: true, checks: 7},
    recoding: [],
    phases_ms: {},
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

const cut = (): RunDetails => {
  const made = run(5, {losses: [0.5]});
  made.report!.search = null;
  made.report!.mondrian = {
    groups: 400,
    smallest: 5,
    largest: 11,
    discernibility_penalty: 24000,
    gcp_tight: 0.1,
    gcp_region: 0.2,
  };
  return made;
};

test("groups that were cut have figures of their own, and none of a search", () => {
  const values = new Map(figuresOf(cut()));
  assert.deepEqual([...values.keys()], figuresOf(run(5)).map(([name]) => name));
  assert.equal(values.get("algorithm"), "mondrian");
  assert.equal(values.get("groups"), "400");
  assert.equal(values.get("smallest group"), "5");
  assert.equal(values.get("largest group"), "11");
  assert.equal(values.get("discernibility penalty"), "24000");
  for (const name of ["metric", "score", "result"]) assert.equal(values.get(name), "–", name);
  assert.deepEqual(attributesOf(cut()), [{name: "age", level: "by group", loss: 0.5}]);
});

test("a run that was cut stands beside one that searched; what one has not is a dash", () => {
  const rows = new Map(comparison(cut(), run(5)).map(([name, mine, theirs]) => [name, [mine, theirs]]));
  assert.deepEqual(rows.get("k"), ["5", "5"]);
  assert.equal(rows.has("maximum risk"), false, "neither has it");
  assert.deepEqual(rows.get("groups"), ["400", "–"]);
  assert.deepEqual(rows.get("metric"), ["–", "loss"]);
  assert.deepEqual(rows.get("age"), ["by group, 50.0 % lost", "level 1 of 3, 25.0 % lost"]);
});

test("records that local recoding shows are told beside those that it can't show", () => {
  const name = "rows shown by further transformations";
  const with_ = (recoding: {records: number}[]) => {
    const made = run(5);
    return new Map(figuresOf({...made, report: {...made.report!, recoding}})).get(name);
  };
  assert.deepEqual([[], [{records: 9}], [{records: 900}, {records: 70}, {records: 20}]].map(with_), [
    "–",
    "0",
    "90, by 2",
  ]);
});
