import assert from "node:assert/strict";
import {test} from "node:test";
import type {Figures, RunDetails} from "../src/page-jobs-api.js";
import {attributesOf, bucketName, buckets, comparedSizes, figuresOf, kNone, recordsRead, titleOf} from "../src/measures.js";

test("records are gathered by the size of their class", () => {
  const made = buckets([[1, 4], [3, 2], [5, 1], [12_000, 1]]);
  assert.equal(made.reduce((sum, it) => sum + it.records, 0), 4 + 6 + 5 + 12_000);
  assert.deepEqual(made.slice(0, 3).map(it => it.records), [4, 6, 5]);
  assert.deepEqual(made.slice(0, 2).map(bucketName), ["1", "2 to 4"]);
  assert.equal(bucketName(made[made.length - 1]!), "10\u00a0000 and more");
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
    differential_privacy: null,
    mondrian: null,
    search: {algorithm: "flash", is_proven: true, checks: 7},
    recoding: [],
    is_recoding_proven: true,
    phases_ms: {},
  },
  ...more,
});

const figures = (histogram: [number, number][]) => ({histogram, rows: 20}) as unknown as Figures;

test("an optimum is not said to be proven if local recoding was stopped", () => {
  const result = (search: boolean, recoding: boolean) => {
    const made = run(5);
    made.report!.search!.is_proven = search;
    made.report!.is_recoding_proven = recoding;
    return new Map(figuresOf(made)).get("result");
  };
  assert.equal(result(true, true), "proven optimum");
  assert.equal(result(true, false), "proven optimum; local recoding is not proven");
  assert.equal(result(false, false), "best found, not proven");
});

test("a run that sampled says so, and tells the records that it did not take", () => {
  const sampled = run(74);
  sampled.report!.differential_privacy = {epsilon: 1, delta: 1e-6, beta: 0.63212, k: 74, read_rows: 16};
  const values = new Map(figuresOf(sampled));
  assert.equal(values.get("differential privacy"), "ε 1, δ 0.000001");
  assert.equal(values.get("records sampled"), "10 of 16");
  assert.equal(values.get("probability of a record to be sampled"), "63.2\u00a0%");
  assert.equal(values.get("result"), kNone, "nothing was searched");
  assert.equal(new Map(figuresOf(run(5))).get("records sampled"), kNone);
  assert.deepEqual([recordsRead(sampled.report!), recordsRead(run(5).report!)], [16, 10]);
  const before = figures([[2, 8]]);
  const made = comparedSizes(before, figures([[4, 2]]), 0, 2, 6);
  assert.deepEqual(made.slice(-2), [
    {label: "left out", before: 0, after: 2},
    {label: "not sampled", before: 0, after: 6},
  ]);
  for (const side of ["before", "after"] as const)
    assert.equal(made.reduce((sum, it) => sum + (it[side] ?? 0), 0), 16, side);
});

test("a run without a result has the same names and no figures", () => {
  const names = (it: RunDetails) => figuresOf(it).map(([name]) => name);
  assert.deepEqual(names(run(5, {report: null})), names(run(5)));
  assert.deepEqual(attributesOf(run(5, {report: null})), []);
  assert.deepEqual(attributesOf(run(5)), [{name: "age", level: "1 of 3", loss: 0.25}]);
});

const cut = (): RunDetails => {
  const made = run(5, {losses: [0.5]});
  made.report!.search = null;
  made.report!.mondrian = {
    algorithm: "mondrian",
    groups: 400,
    smallest: 5,
    largest: 11,
    discernibility_penalty: 24000,
    gcp_bound: 0.01,
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
  assert.equal(values.get("discernibility penalty"), "24\u00a0000");
  for (const name of ["metric", "score", "result"]) assert.equal(values.get(name), "–", name);
  assert.deepEqual(attributesOf(cut()), [{name: "age", level: "by group", loss: 0.5}]);
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

test("sizes before and after are of the same records, wherever they went", () => {
  const made = comparedSizes(figures([[1, 16], [4, 1]]), figures([[5, 2], [6, 1]]), 6, 4);
  assert.deepEqual(made.map(it => [it.label, it.before, it.after]), [
    ["1", 16, 0],
    ["2 to 4", 4, 0],
    ["5 to 9", 0, 10],
    ["shown as * only", 0, 6],
    ["left out", 0, 4],
  ]);
  for (const side of ["before", "after"] as const)
    assert.equal(made.reduce((sum, it) => sum + (it[side] ?? 0), 0), 20);
  const alone = comparedSizes(null, figures([[6, 2]]), 6, 0);
  assert.deepEqual(alone.slice(-2).map(it => [it.label, it.before, it.after]),
    [["5 to 9", null, 6], ["shown as * only", null, 6]]);
});

test("a run is called by what was asked of it", () => {
  assert.equal(titleOf(run(5)), "a · flash · k 5");
  assert.equal(titleOf(cut()), "a · mondrian · k 5");
  assert.equal(titleOf(run(5, {report: null})), "a");
});
