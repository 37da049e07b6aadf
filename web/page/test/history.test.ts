import assert from "node:assert/strict";
import {test} from "node:test";
import {grown, growth, perMinute, sampleOf, type Sample} from "../src/history.js";

const stats = (...counts: string[]) => ({
  columns: ["database", "total_query_count"],
  rows: counts.map((count, at) => [`d${at}`, count]),
  notices: [],
});

test("counters are summed over databases, and what is not there is left out", () => {
  const sample = sampleOf({stats: stats("3", "4")}, 1000);
  assert.equal(sample.answered, 7);
  assert.equal(sample.at, 1000);
  assert.ok(!("refused" in sample));
});

test("rates are per minute, whatever lies between two samples", () => {
  const samples: Sample[] = [{at: 0, answered: 10}, {at: 5000, answered: 11}, {at: 65_000, answered: 41}];
  assert.deepEqual(perMinute(samples, "answered"), [{x: 5000, y: 12}, {x: 65_000, y: 30}]);
  assert.equal(growth(samples, "answered"), 31);
});

test("a server that was started anew makes no negative rate", () => {
  const samples: Sample[] = [{at: 0, answered: 1000}, {at: 60_000, answered: 4}];
  assert.deepEqual(perMinute(samples, "answered"), [{x: 60_000, y: 4}]);
  assert.equal(growth(samples, "answered"), 4);
});

test("samples without the counter are passed over", () => {
  const samples: Sample[] = [{at: 0}, {at: 1000, refused: 1}, {at: 2000}, {at: 61_000, refused: 2}];
  assert.deepEqual(perMinute(samples, "refused"), [{x: 61_000, y: 1}]);
});

test("a long history gets coarser, keeps its ends, and loses no count", () => {
  let samples: Sample[] = [];
  for (let at = 0; at < 1000; at++) samples = grown(samples, {at: 5000 * at, answered: at}, 100);
  assert.ok(samples.length <= 100);
  assert.equal(samples[0]?.at, 0);
  assert.equal(samples.at(-1)?.at, 5000 * 999);
  assert.equal(growth(samples, "answered"), 999);
});
