import assert from "node:assert/strict";
import {test} from "node:test";
import type {TreeAttribute, VersionNode} from "../src/api.js";
import {layout} from "../src/icicle.js";
import {pairs} from "../src/policy/distribution.js";
import {heatMap, heatOf} from "../src/policy/heat.js";
import {
  cohortFits, conditionsOf, hiddenPlaces, releaseOf, releasedTogether, shownValues, sizeBuckets,
} from "../src/policy/release.js";
import {listed, tell, whichRows} from "../src/policy/words.js";

// The worked example of docs/disclosure-tree.md.
const kPeople: VersionNode[] = [
  {rows: 11, units: 11, attribute: "state", value: "OH", yes: 1, no: 6},
  {rows: 6, units: 6, attribute: "city", value: "Hamlet", yes: 2, no: 5},
  {rows: 4, units: 4, attribute: "occupation", value: "Farmer", yes: 3, no: 4},
  {rows: 2, units: 2},
  {rows: 2, units: 2},
  {rows: 2, units: 2},
  {rows: 5, units: 5, attribute: "occupation", value: "Accountant", yes: 7, no: 8},
  {rows: 3, units: 3},
  {rows: 2, units: 2},
];
const kColumns: TreeAttribute[] = [
  {name: "occupation", number: 2}, {name: "city", number: 3}, {name: "state", number: 4},
];
const people = () => {
  const parts = layout(kPeople);
  return {parts, release: releaseOf(parts, kColumns)};
};

test("cohorts and shares are those that the server counts", () => {
  const {parts, release} = people();
  assert.equal(release.cohorts.length, 5);
  assert.deepEqual(kColumns.map(it => release.rowsShown(0, it.name)), [5, 4, 6]);
  assert.equal(release.cohorts.reduce((sum, it) => sum + it.rows, 0), 11);
  assert.equal(conditionsOf(parts, "occupation").length, 2);
});

test("rows that fall back count with the end of the list around them and show what it shows", () => {
  // town = A (10 rows): job = x (8), and 2 that fall back to "otherwise" of town.
  const nodes: VersionNode[] = [
    {rows: 16, units: 16, attribute: "town", value: "A", yes: 1, no: 4},
    {rows: 10, units: 10, attribute: "job", value: "x", yes: 2, no: 3},
    {rows: 8, units: 8},
    {rows: 2, units: 2, falls_back: true},
    {rows: 6, units: 6},
  ];
  const parts = layout(nodes);
  const release = releaseOf(parts, [{name: "town", number: 1}, {name: "job", number: 2}]);
  assert.deepEqual(release.cohorts.map(it => [it.rows, it.shows.join()]), [[8, ""], [8, "town,job"]]);
  assert.equal(release.rowsShown(0, "town"), 8);
  const fallen = parts.find(it => it.fallsBack);
  const told = tell(parts, fallen?.index ?? -1, [{name: "town", number: 1}, {name: "job", number: 2}], release, 5);
  assert.match(told?.sentences.join(" ") ?? "", /town and job are hidden, because fewer than 5 units are left/);
});

test("a part without a list falls out of the list that it stands in", () => {
  const nodes: VersionNode[] = [
    {rows: 9, units: 9, attribute: "town", value: "A", yes: 1, no: 2},
    {rows: 2, units: 2, falls_back: true},
    {rows: 7, units: 7},
  ];
  const release = releaseOf(layout(nodes), [{name: "town", number: 1}]);
  assert.deepEqual(release.cohorts.map(it => it.rows), [9]);
  assert.equal(release.rowsShown(0, "town"), 0);
});

test("an exact value shows the coarser levels of its column, too", () => {
  const attributes: TreeAttribute[] = [
    {name: "age", number: 1},
    {name: "age_10", number: 7, level: {source: "age", source_number: 1, step: 1}},
    {name: "age_20", number: 8, level: {source: "age", source_number: 1, step: 2}},
    {name: "sex", number: 2},
  ];
  const together = releasedTogether(attributes);
  assert.deepEqual(together.get("age"), ["age", "age_10", "age_20"]);
  assert.deepEqual(together.get("age_10"), ["age_10", "age_20"]);
  assert.deepEqual(together.get("sex"), ["sex"]);
});

test("a path is told in words, with why a column is hidden", () => {
  const {parts, release} = people();
  const hamlet = parts.findIndex(it => it.value === "Hamlet");
  assert.equal(whichRows(parts, hamlet), "Rows with state = OH and city = Hamlet");
  assert.equal(whichRows(parts, 0), "All rows");
  const told = tell(parts, hamlet, kColumns, release, 2);
  assert.deepEqual(told?.columns.map(it => it.state), ["in parts", "shown", "shown"]);
  assert.match(told?.sentences[0] ?? "", /^city and state are shown\.$/);
  const last = parts.findIndex(it => it.parent === 0 && it.attribute === null);
  assert.equal(whichRows(parts, last), "Rows where state is not OH and occupation is not Accountant");
  assert.match(tell(parts, last, kColumns, release, 2)?.sentences[0] ?? "",
               /occupation, city and state are hidden, because releasing a value of one of them/);
  assert.equal(tell(parts, 999, kColumns, release, 2), null);
  assert.equal(listed(["a", "b", "c"]), "a, b and c");
});

test("cohorts are found by words of their condition and of what they show", () => {
  const {parts, release} = people();
  const found = (words: string) => release.cohorts.filter(it => cohortFits(parts, it, words)).length;
  assert.equal(found("farmer hamlet"), 2);
  assert.equal(found("nowhere"), 0);
});

test("each cohort is in one bucket, from k on", () => {
  const cohorts = [5, 9, 10, 24, 25, 49, 50, 1000].map(units => ({part: 0, rows: units, units, shows: []}));
  const buckets = sizeBuckets(cohorts, 5);
  assert.equal(buckets.reduce((sum, it) => sum + it.cohorts, 0), cohorts.length);
  assert.deepEqual(buckets.slice(0, 3).map(it => [it.from, it.to, it.cohorts]),
                   [[5, 9, 2], [10, 24, 2], [25, 49, 2]]);
  assert.equal(sizeBuckets([], 5).length, 1);
});

test("values that readers see, and where a column is hidden", () => {
  const {parts, release} = people();
  assert.deepEqual(shownValues(parts, release, "occupation"),
                   [{value: "Accountant", rows: 3}, {value: "Farmer", rows: 2}]);
  assert.deepEqual(hiddenPlaces(parts, release, "city").map(it => it.hidden), [3, 2, 2]);
});

test("before and after are brought together, and what is not named is summed", () => {
  const before = {
    column: "city", grain: 2, rows: 12, values: [{value: "Hamlet", rows: 4}, {value: "Washington", rows: 2}],
    other_values: 0, other_rows: 0, rare_rows: 6, null_rows: 0,
  };
  assert.deepEqual(pairs(before, [{value: "Hamlet", rows: 4}], 11), [
    {name: "Hamlet", before: 4, after: 4},
    {name: "Washington", before: 2, after: 0},
    {name: "rare values", before: 6, after: 0},
    {name: "NULL or hidden", before: 0, after: 7},
  ]);
  const many = Array.from({length: 20}, (_, at) => ({value: `v${at}`, rows: 10}));
  const made = pairs(null, many, 200);
  assert.deepEqual(made.slice(-2).map(it => [it.name, it.after]), [["5 other values", 50], ["NULL or hidden", 0]]);
});

test("the heat map is symmetric and knows what was not measured", () => {
  const asked = (columns: string[], mean_error_ppm: number, rows = 10) => ({
    columns, groups: 2, groups_shown: 1, rows, rows_shown: rows / 2, mean_error_ppm, p95_error_ppm: 0,
    top_groups: 1, top_kept: 1,
  });
  const {names, cells} = heatMap({
    columns: [asked(["a"], 0), asked(["b"], 500_000), asked(["c"], 0, 0)],
    pairs: [asked(["a", "b"], 250_000)], declared: [], implied: [],
  });
  assert.deepEqual(names, ["a", "b", "c"]);
  assert.equal(cells[0]?.[1]?.error, 0.25);
  assert.equal(cells[1]?.[0]?.error, 0.25);
  assert.equal(cells[0]?.[2]?.error, null);
  assert.equal(cells[2]?.[2]?.error, null);
  assert.deepEqual([0, 0.03, 0.1, 0.3, 0.5, 1].map(heatOf), [0, 1, 2, 3, 4, 5]);
});

test("50,000 cohorts take moments", () => {
  const nodes: VersionNode[] = [];
  const lists = 25_000;
  for (let i = 0; i < lists; i++) {
    nodes.push({rows: 20, units: 20, attribute: "town", value: `t${i}`, yes: nodes.length + 1, no: nodes.length + 4});
    nodes.push({rows: 20, units: 20, attribute: "job", value: "x", yes: nodes.length + 1, no: nodes.length + 2});
    nodes.push({rows: 12, units: 12}, {rows: 8, units: 8});
  }
  nodes.push({rows: 5, units: 5});
  const parts = layout(nodes);
  const release = releaseOf(parts, [{name: "town", number: 1}, {name: "job", number: 2}]);
  assert.equal(release.cohorts.length, 2 * lists + 1);
  assert.equal(release.rowsShown(0, "town"), 20 * lists);
});
