import assert from "node:assert/strict";
import {test} from "node:test";
import {
  auditCsv, auditLines, filledColumns, fromOf, instantOf, policiesOf, restOf, timeOf,
} from "../src/audit.js";

const kLogin = {
  at: "2026-01-01T00:00:00Z", event: "login", session: 12, role: "ann", method: "page", verdict: "let in",
};

test("only columns that some line fills are shown", () => {
  assert.deepEqual(filledColumns([kLogin]), ["what", "role", "more"]);
  assert.deepEqual(filledColumns([{at: "x", event: "answer", rows: 0, took_us: 5}]), ["what", "rows", "took"]);
  assert.deepEqual(filledColumns([]), []);
});

test("what has no column is told beside the line", () => {
  assert.deepEqual(restOf(kLogin), [["session", "12"], ["method", "page"]]);
});

test("policies are told with their versions", () => {
  assert.equal(policiesOf([{policy: "p", version: 3}, {policy: "<b>", version: 1}]), "p v3, <b> v1");
  assert.equal(policiesOf(undefined), "");
});

test("a range ends now, and one of one's own has instants", () => {
  const now = Date.parse("2026-01-02T00:00:00Z");
  assert.equal(fromOf("day", now), "2026-01-01T00:00:00.000Z");
  assert.equal(fromOf("all", now), "");
  assert.equal(instantOf(""), "");
  assert.equal(instantOf("no date"), "");
  assert.equal(Date.parse(instantOf("2026-01-01T10:00")), new Date("2026-01-01T10:00").getTime());
});

test("a time that can't be read stays as it is", () => {
  assert.equal(timeOf("yesterday"), "yesterday");
  assert.match(timeOf("2026-01-01T00:00:07.123456789Z"), /:07/);
});

test("a file for spreadsheets quotes everything and runs nothing", () => {
  const text = auditCsv([{role: "=1+1", sql: 'SELECT "a", \'b\'', rows: -3}, {policies: [{policy: "p"}]}]);
  assert.equal(
    text,
    '"role","sql","rows","policies"\r\n' +
      '"\'=1+1","SELECT ""a"", \'b\'","-3",""\r\n' +
      '"","","","[{""policy"":""p""}]"\r\n',
  );
});

test("lines of JSON can be read back", () => {
  const text = auditLines([kLogin, {sql: "a\nb"}]);
  assert.deepEqual(text.trimEnd().split("\n").map(it => JSON.parse(it) as unknown), [kLogin, {sql: "a\nb"}]);
});
