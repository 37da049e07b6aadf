import assert from "node:assert/strict";
import {test} from "node:test";
import type {TableColumn} from "../src/api.js";
import {factsOf, lineAt, offsetOf} from "../src/design.js";

const kText = "k: 2\nname: ä€😀x\n\nlast";

test("a place in bytes is found among characters of several bytes", () => {
  assert.equal(offsetOf(kText, 1, 1), 0);
  assert.equal(offsetOf(kText, 1, 4), 3);
  assert.equal(kText.slice(offsetOf(kText, 2, 7 + 2 + 3 + 4)), "x\n\nlast");
  assert.equal(kText.slice(offsetOf(kText, 4, 1)), "last");
});

test("a place behind the end of its line or text is the end", () => {
  assert.equal(offsetOf(kText, 1, 99), 4);
  assert.equal(offsetOf(kText, 99, 1), kText.length);
});

test("a line that is not there is empty", () => {
  assert.equal(lineAt(kText, 4), "last");
  assert.equal(lineAt(kText, 9), "");
});

const tableColumn = (more: Partial<TableColumn> = {}): TableColumn => ({
  name: "c",
  type: "text",
  kind: "text",
  nullable: true,
  key: false,
  unique: false,
  distinct: 4,
  nearly_unique: false,
  null_share: 0,
  hints: [],
  ...more,
});

test("hints are estimates and names", () => {
  assert.equal(
    factsOf(tableColumn({key: true, unique: true, nullable: false, distinct: 1200, hints: ["a name"]})),
    "of the primary key; about 1\u00a0200 different values; never NULL; looks like a name",
  );
  assert.equal(
    factsOf(tableColumn({distinct: null, nearly_unique: true, null_share: 0.5})),
    "nearly every row has a different value; 50.0\u00a0% NULL",
  );
});
