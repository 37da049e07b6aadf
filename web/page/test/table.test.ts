import assert from "node:assert/strict";
import {test} from "node:test";
import {problemOf} from "../src/api.js";
import {distinctColumns, filtered, records, share, sorted} from "../src/table.js";

const kTable = {columns: ["policy", "cohorts"], rows: [["b", "10"], ["a", "9"], ["c", null]], notices: []};
const names = (rows: Record<string, string | null>[]) => rows.map(row => row["policy"]).join("");

test("numbers are sorted by size and NULL comes last in either direction", () => {
  const rows = records(kTable);
  assert.equal(names(sorted(rows, {column: "cohorts", isDescending: false})), "abc");
  assert.equal(names(sorted(rows, {column: "cohorts", isDescending: true})), "bac");
  assert.equal(names(sorted(rows, {column: "policy", isDescending: true})), "cba");
  assert.equal(names(sorted(rows, null)), "bac");
});

test("columns of one name are told apart, whatever else is called so", () => {
  const named = (...columns: string[]) => distinctColumns({columns, rows: [], notices: []}).columns;
  assert.deepEqual(named("count", "count", "count"), ["count", "count (2)", "count (3)"]);
  assert.deepEqual(named("a (2)", "a", "a"), ["a (2)", "a", "a (3)"]);
});

test("a filter looks into all cells and knows no case", () => {
  assert.equal(names(filtered(records(kTable), " B ")), "b");
  assert.equal(filtered(records(kTable), "zzz").length, 0);
  assert.equal(filtered(records(kTable), "").length, 3);
});

test("a row that is short has NULL", () => {
  assert.deepEqual(records({columns: ["x", "y"], rows: [["1"]], notices: []}), [{x: "1", y: null}]);
});

test("shares are read of per cents only", () => {
  assert.equal(share("37.5%"), 0.375);
  assert.equal(share("nonsense"), null);
  assert.equal(share(null), null);
});

test("an error without a body still says something", () => {
  assert.deepEqual(problemOf(502, null), {status: 502, message: "pgveil answered with status 502"});
  assert.deepEqual(problemOf(403, {message: "no", hint: "ask", sqlstate: "42501", more: 1}),
                   {status: 403, message: "no", hint: "ask", sqlstate: "42501"});
  assert.equal(problemOf(500, {message: 7}).message, "pgveil answered with status 500");
});
