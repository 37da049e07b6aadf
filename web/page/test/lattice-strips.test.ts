import assert from "node:assert/strict";
import {test} from "node:test";
import {sizeOf, vectors} from "../src/lattice.js";
import {levelMap, strips, vectorsBySum} from "../src/lattice-strips.js";

test("strips count what a walk through the lattice counts", () => {
  for (const heights of [[], [0], [3], [2, 1], [4, 3, 2, 2, 1]]) {
    const counted = vectorsBySum(heights);
    const walked = new Array<number>(counted.length).fill(0);
    for (const levels of vectors(heights)) walked[levels.reduce((sum, it) => sum + it, 0)]! += 1;
    assert.deepEqual(counted, walked, `${heights}`);
    assert.equal(counted.reduce((sum, it) => sum + it, 0), sizeOf(heights));
  }
  assert.equal(vectorsBySum(new Array<number>(40).fill(5)).length, 201, "more transformations than anybody walks");
});

test("each strip knows what was evaluated in it, and the chosen one", () => {
  const checked = [
    {levels: [2, 1], is_anonymous: true, score: 1},
    {levels: [1, 1], is_anonymous: true, score: 0.5},
    {levels: [2, 0], is_anonymous: false},
  ];
  const made = strips([2, 1], checked, [1, 1]);
  assert.deepEqual(made.map(it => [it.sum, it.all, it.anonymous, it.notAnonymous, it.hasChosen]), [
    [3, 1, 1, 0, false],
    [2, 2, 1, 1, true],
    [1, 2, 0, 0, false],
    [0, 1, 0, 0, false],
  ]);
});

test("a map of two columns shows the best of all transformations with their levels", () => {
  const checked = [
    {levels: [0, 1, 0], is_anonymous: true, score: 0.7},
    {levels: [0, 1, 2], is_anonymous: true, score: 0.4},
    {levels: [0, 0, 0], is_anonymous: false},
  ];
  const made = levelMap([1, 1, 2], checked, [0, 1, 2], [0, 1]);
  assert.equal(made.length, 2);
  const [top, bottom] = made;
  assert.deepEqual(top?.map(it => it.evaluated), [0, 0]);
  const told = bottom?.map(it => [it.best, it.evaluated, it.hasChosen]);
  assert.deepEqual(told, [[null, 1, false], [0.4, 2, true]]);
});
