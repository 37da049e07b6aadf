import assert from "node:assert/strict";
import {test} from "node:test";
import {tableOf} from "../src/live.js";

test("an event that is no table is passed over", () => {
  for (const data of ["", "null", "7", "[]", "{}", '{"columns": 1, "rows": []}', '{"columns": []'])
    assert.equal(tableOf(data), null);
});

test("a table comes with its notices or none", () => {
  assert.deepEqual(tableOf('{"columns": ["a"], "rows": [["1"]]}'), {
    columns: ["a"],
    rows: [["1"]],
    notices: [],
  });
});
