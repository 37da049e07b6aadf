import assert from "node:assert/strict";
import test from "node:test";
import type {AnswerError, Disclosure, Utility} from "../src/api.js";
import {askedRows, cellsShown, meanError, notes, ofMillion} from "../src/utility.js";

const answer = (columns: string[], more: Partial<AnswerError> = {}): AnswerError => ({
  columns, groups: 3, groups_shown: 2, rows: 11, rows_shown: 5, mean_error_ppm: 466_667,
  p95_error_ppm: 1_000_000, top_groups: 3, top_kept: 2, ...more,
});

const utility: Utility = {
  most_cells: 23,
  columns: [answer(["occupation"]), answer(["born"], {rows_shown: 0, mean_error_ppm: 1_000_000}),
            answer(["empty"], {rows: 0, groups: 0, mean_error_ppm: 0})],
  pairs: [answer(["occupation", "born"])],
  declared: [answer(["born"])],
  implied: [{column: "state", by: "city"}],
};

const disclosure: Disclosure = {
  rows: 11, units: 11, cells: 33, disclosed: 15, computable: 0, equal: 0, cohorts: 5, smallest_cohort: 2,
  disclosed_by_attribute: [], computable_by_attribute: [], equal_by_attribute: [],
};

test("parts per million are per cents with one digit", () => {
  assert.equal(ofMillion(466_667), "46.7\u00a0%");
  assert.equal(ofMillion(0), "0.0\u00a0%");
});

test("cells stand beside their bound, where it was found and where there are cells", () => {
  assert.equal(cellsShown(disclosure, utility), "45.5\u00a0% of at most 69.7\u00a0%");
  assert.equal(cellsShown(disclosure, undefined), "45.5\u00a0%");
  const {most_cells: _, ...unbounded} = utility;
  assert.equal(cellsShown(disclosure, unbounded), "45.5\u00a0%");
  assert.equal(cellsShown({...disclosure, cells: 0}, utility), "–");
});

test("the mean is over columns that have a value", () => {
  assert.equal(meanError(utility), 733_333.5);
  assert.equal(meanError({...utility, columns: [answer(["empty"], {rows: 0})]}), null);
});

test("what is asked for comes first", () => {
  assert.deepEqual(askedRows(utility).map((it) => [it.kind, it.question]), [
    ["workload", "born"], ["column", "occupation"], ["column", "born"], ["column", "empty"],
    ["pair", "occupation, born"],
  ]);
});

test("columns that are never shown are named, empty ones are not", () => {
  assert.deepEqual(notes(utility), [
    "born is never shown.", "state follows from city: each value of city has one of state.",
  ]);
});
