import assert from "node:assert/strict";
import {test} from "node:test";
import {sampleOf} from "../src/history.js";
import {levels, meanLatency, perSecond} from "../src/operations.js";

test("levels leave out what was not there yet", () => {
  assert.deepEqual(levels([{at: 1}, {at: 2, inUse: 3}], "inUse"), [{x: 2, y: 3}]);
});

test("connections in use and idle are counted over all pools", () => {
  const pools = {columns: ["sv_active", "sv_idle"], rows: [["2", "3"], ["1", "0"]], notices: []};
  const made = sampleOf({pools}, 5);
  assert.deepEqual([made.inUse, made.idle], [3, 3]);
});

test("a rate is of a second", () => {
  assert.deepEqual(perSecond([{at: 0, answered: 0}, {at: 2_000, answered: 10}], "answered"), [{x: 2_000, y: 5}]);
});

test("latency is of the statements that ended, and there is none without one or after a restart", () => {
  const sample = (at: number, answered: number, queryTime: number) => ({at, answered, queryTime});
  assert.deepEqual(meanLatency([sample(0, 0, 0), sample(2_000, 10, 50_000)]), [{x: 2_000, y: 5}]);
  assert.deepEqual(meanLatency([sample(0, 4, 9), sample(2_000, 4, 9)]), []);
  assert.deepEqual(meanLatency([sample(0, 400, 9_000), sample(2_000, 3, 10)]), []);
  assert.deepEqual(meanLatency([]), []);
});
