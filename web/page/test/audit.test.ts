import assert from "node:assert/strict";
import {test} from "node:test";
import {auditTable} from "../src/audit.js";

test("each line is a row, and what few have is told in words", () => {
  const made = auditTable([
    {at: "2026-01-01T00:00:00Z", event: "login", session: 12, role: "ann", method: "page", verdict: "let in"},
    {event: "statement", sql: "SELECT <b>", policies: [{policy: "p", version: 1}]},
  ]);
  const cell = (row: number, column: string) => made.rows[row]?.[made.columns.indexOf(column)];
  assert.equal(cell(0, "session"), "12");
  assert.equal(cell(0, "more"), "method page");
  assert.equal(cell(1, "at"), null);
  assert.equal(cell(1, "sql"), "SELECT <b>");
  assert.equal(cell(1, "more"), 'policies [{"policy":"p","version":1}]');
});
