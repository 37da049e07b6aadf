import assert from "node:assert/strict";
import {test} from "node:test";
import {chartOf, firstStatement, maskedTables, sqlName, tableName} from "../src/query-schema.js";

const table = (columns: string[], rows: (string | null)[][]) => ({columns, rows, notices: []});

test("what a role reads comes with its columns, and gives a statement that works", () => {
  const tables = maskedTables(table(["table_schema", "table_name", "columns"], [
    ["hr", "Staff \"x\"", '[["id", "identifier", 0], ["select", "quasi_identifier", 40]]'],
  ]));
  const [first] = tables;
  assert.ok(first);
  assert.equal(tableName(first), 'hr."Staff ""x"""');
  assert.equal(
    firstStatement(tables),
    'SELECT "select", count(*) FROM hr."Staff ""x""" GROUP BY "select" ORDER BY 2 DESC',
  );
  assert.equal(firstStatement([]), null);
});

test("a table of which nothing is shown is selected whole", () => {
  assert.equal(
    firstStatement([{schema: "public", name: "t", columns: [{name: "a", class: "identifier", shownPercent: 0}]}]),
    "SELECT * FROM t");
});

test("names that are not plain are quoted", () => {
  assert.deepEqual(["city", "City", "ö", "order", "a b", "1a"].map(sqlName),
                   ["city", '"City"', '"ö"', '"order"', '"a b"', '"1a"']);
});

test("two columns with a number make a chart, everything else does not", () => {
  assert.deepEqual(chartOf(table(["city", "count"], [["A", "3"], [null, "2"]])), {
    label: "count by city",
    bars: [{label: "A", values: [3]}, {label: "NULL", values: [2]}],
  });
  assert.equal(chartOf(table(["count", "city"], [["3", "A"], ["2", "B"]]))?.label, "count by city");
  for (const other of [
    table(["a", "b"], [["x", "y"], ["z", "w"]]),
    table(["a", "b"], [["x", "1"]]),
    table(["a", "b"], [["x", "-1"], ["y", "2"]]),
    table(["a", "b"], [["x", null], ["y", "2"]]),
    table(["a"], [["1"], ["2"]]),
  ])
    assert.equal(chartOf(other), null);
});
