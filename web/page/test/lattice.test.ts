import assert from "node:assert/strict";
import {test} from "node:test";
import {picture, sizeOf, stateOf, vectors} from "../src/lattice.js";

test("a lattice has a node for each vector of levels and an edge for each step", () => {
  const made = picture([1, 2], [], [0, 0]);
  assert.ok(made);
  assert.equal(made.nodes.length, 6);
  assert.equal(made.edges.length, 7);
  assert.equal(made.rows, 4);
  assert.equal(made.widest, 2);
  assert.deepEqual(made.nodes.find(it => it.levels.join() === "1,2")?.y, 1);
  for (const node of made.nodes) assert.ok(node.x >= 0 && node.x <= 1 && node.y >= 0 && node.y <= 1);
});

test("what was not checked is told from what was found wanting", () => {
  const checked = [{levels: [0], is_anonymous: false}, {levels: [1], is_anonymous: true, score: 3}];
  const made = picture([3], checked, [2]);
  assert.deepEqual(made?.nodes.map(it => it.state), ["not anonymous", "anonymous", "chosen", "not checked"]);
  assert.equal(made?.nodes[1]?.score, 3);
  assert.equal(stateOf(undefined, [1, 1], [1, 1]), "chosen");
});

test("a lattice that is too large is no picture, and none is no error", () => {
  assert.equal(picture([20, 20], [], [0, 0]), null);
  assert.equal(picture([], [], []), null);
  assert.equal(picture([0], [], [0])?.nodes.length, 1);
  assert.equal(sizeOf([20, 20]), 441);
  assert.equal(vectors([1, 1, 1]).length, 8);
});
