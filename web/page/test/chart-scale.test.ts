import assert from "node:assert/strict";
import {test} from "node:test";
import {areaOf, linear, nearest, pathOf, ticks} from "../src/ui/charts/scale.js";

test("ticks are round and contain the whole range", () => {
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(0, 0.3, 3), [0, 0.1, 0.2, 0.3]);
  for (const [low, high] of [[0, 7], [3, 1234], [0, 1e-6], [-5, 5]] as const) {
    const marks = ticks(low, high);
    assert.ok((marks[0] ?? 1) <= low && (marks.at(-1) ?? 0) >= high, `${low} to ${high}: ${marks}`);
    assert.ok(marks.length <= 8, `${marks.length} ticks`);
  }
});

test("ticks of one value, and of none", () => {
  assert.ok(ticks(0, 0).length >= 2);
  const [low = 9, high = 0] = ticks(5, 5);
  assert.ok(low <= 5 && high >= 5 && low < high);
  assert.deepEqual(ticks(NaN, 1), [0, 1]);
});

test("a scale of no width does not divide by zero", () => {
  assert.equal(linear([3, 3], [10, 20])(3), 10);
  assert.equal(linear([0, 10], [100, 0])(2.5), 75);
});

test("paths and areas", () => {
  const points = [{x: 0, y: 1}, {x: 2.04, y: 3}];
  assert.equal(pathOf(points), "M0 1L2 3");
  assert.equal(areaOf(points, 9), "M0 1L2 3L2 9L0 9Z");
  assert.equal(areaOf([], 9), "");
});

test("the nearest point", () => {
  assert.deepEqual(nearest([{x: 0, y: 1}, {x: 5, y: 2}], 4), {x: 5, y: 2});
  assert.equal(nearest([], 4), null);
});
