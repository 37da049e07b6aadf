import assert from "node:assert/strict";
import {test} from "node:test";
import {problemOf} from "../src/api.js";
import {ago, distinctColumns, filtered, percent, records, share, sorted} from "../src/table.js";

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
  assert.equal(percent(1, 0), "–");
  assert.equal(percent(1, 8), "12.5 %");
});

test("instants are told in words", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  assert.equal(ago("2026-11-22T11:59:50Z", now), "just now");
  assert.equal(ago("2026-11-22T10:59:50Z", now), "1 hour ago");
  assert.equal(ago("2026-11-20T11:59:50Z", now), "2 days ago");
  assert.equal(ago(null, now), "–");
  assert.equal(ago("not a date", now), "not a date");
});

test("an error without a body still says something", () => {
  assert.deepEqual(problemOf(502, null), {status: 502, message: "pgveil answered with status 502"});
  assert.deepEqual(problemOf(403, {message: "no", hint: "ask", sqlstate: "42501", more: 1}),
                   {status: 403, message: "no", hint: "ask", sqlstate: "42501"});
  assert.equal(problemOf(500, {message: 7}).message, "pgveil answered with status 500");
});
