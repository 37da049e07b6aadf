import assert from "node:assert/strict";
import {test} from "node:test";
import {
  meanLatency, refusalsPerMinute, sampleOf, statementsPerSecond, withSample, type Sample,
} from "../src/operations.js";

const sample = (at: number, more: Partial<Sample> = {}): Sample => ({
  at, clients: 0, waiting: 0, inUse: 0, idle: 0, statements: 0, statementMicroseconds: 0, refusals: 0,
  bytesSent: 0, ...more,
});

test("there is no sample before all tables have come", () => {
  const empty = {columns: [], rows: [], notices: []};
  assert.equal(sampleOf({pools: empty}, 1), null);
  const tables = {
    pools: {columns: ["cl_waiting", "sv_active"], rows: [["2", "3"], ["1", "0"]], notices: []},
    stats: empty, refusals: empty, clients: {columns: ["id"], rows: [["1"], ["2"]], notices: []},
  };
  const made = sampleOf(tables, 5);
  assert.deepEqual([made?.waiting, made?.inUse, made?.clients], [3, 3, 2]);
});

test("rates are of neighbours, and of none after a gap", () => {
  const samples = [sample(0), sample(2_000, {statements: 10, statementMicroseconds: 50_000, refusals: 1}),
                   sample(60_000, {statements: 500})];
  assert.deepEqual(statementsPerSecond(samples), [{x: 2_000, y: 5}]);
  assert.deepEqual(meanLatency(samples), [{x: 2_000, y: 5}]);
  assert.deepEqual(refusalsPerMinute(samples), [{x: 2_000, y: 30}]);
});

test("no statement, no latency", () => {
  assert.deepEqual(meanLatency([sample(0), sample(2_000)]), []);
});

test("a restart begins anew, and an hour is kept", () => {
  const before = [sample(0, {statements: 10})];
  assert.equal(withSample(before, sample(2_000, {statements: 3})).length, 1);
  let samples: Sample[] = [];
  for (let at = 0; at < 2_000; at++) samples = withSample(samples, sample(2_000 * at));
  assert.equal(samples.length, 1_800);
});
