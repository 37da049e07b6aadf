import assert from "node:assert/strict";
import {test} from "node:test";
import type {VersionNode} from "../src/api.js";
import {
  clamped,
  hit,
  layout,
  neighbour,
  predicate,
  shown,
  visible,
  zoomed,
  type Part,
} from "../src/icicle.js";

// The worked example of docs/disclosure-tree.md.
const kPeople: VersionNode[] = [
  {rows: 11, units: 11, attribute: "state", value: "OH", yes: 1, no: 6},
  {rows: 6, units: 6, attribute: "city", value: "Hamlet", yes: 2, no: 5},
  {rows: 4, units: 4, attribute: "occupation", value: "Farmer", yes: 3, no: 4},
  {rows: 2, units: 2},
  {rows: 2, units: 2},
  {rows: 2, units: 2},
  {rows: 5, units: 5, attribute: "occupation", value: "Accountant", yes: 7, no: 8},
  {rows: 3, units: 3},
  {rows: 2, units: 2},
];

const at = (parts: Part[], row: number, depth: number) => {
  const part = hit(parts, row, depth);
  assert.ok(part, `a part at row ${row}, depth ${depth}`);
  return part;
};

test("a no side continues its list instead of lying below it", () => {
  const parts = layout(kPeople);
  assert.equal(Math.max(...parts.map(part => part.depth)), 3);
  const top = (parts[0]?.children ?? []).map(index => parts[index]);
  assert.deepEqual(top.map(part => [part?.attribute, part?.value, part?.rows]),
                   [["state", "OH", 6], ["occupation", "Accountant", 3], [null, null, 2]]);
});

test("children fill their parent from its first row on and never reach beyond it", () => {
  const parts = layout(kPeople);
  for (const part of parts.filter(it => it.children.length > 0)) {
    let from = part.from;
    for (const index of part.children) {
      const child = parts[index];
      assert.equal(child?.from, from);
      assert.equal(child?.parent, part.index);
      from += child?.rows ?? 0;
    }
    assert.equal(from, part.from + part.rows);
  }
});

test("a predicate names what holds and what was split off before", () => {
  const parts = layout(kPeople);
  assert.equal(
    predicate(parts, at(parts, 0, 3).index),
    "state = 'OH' and city = 'Hamlet' and occupation = 'Farmer'",
  );
  assert.equal(predicate(parts, at(parts, 7, 1).index), "state not 'OH' and occupation = 'Accountant'");
  assert.equal(predicate(parts, at(parts, 10, 1).index), "state not 'OH' and occupation not 'Accountant'");
  assert.equal(predicate(parts, 0), "everything");
});

test("of many excluded values the first are named", () => {
  const nodes: VersionNode[] = [];
  for (let i = 0; i < 5; i++)
    nodes.push(
      {rows: 12 - 2 * i, units: 12 - 2 * i, attribute: "city", value: `c${i}`, yes: 2 * i + 1, no: 2 * i + 2},
      {rows: 2, units: 2},
    );
  nodes.push({rows: 2, units: 2});
  const parts = layout(nodes);
  assert.equal(predicate(parts, at(parts, 11, 1).index), "city not 'c0', 'c1', 'c2' and 2 more");
});

test("what is shown is what the path released, and nothing in the last cohort", () => {
  const parts = layout(kPeople);
  assert.deepEqual(shown(parts, at(parts, 3, 3).index), ["state", "city"]);
  assert.deepEqual(shown(parts, at(parts, 10, 1).index), []);
});

test("a point beside the tree or below a leaf hits nothing", () => {
  const parts = layout(kPeople);
  assert.equal(hit(parts, 11, 0), null);
  assert.equal(hit(parts, -1, 0), null);
  assert.equal(hit(parts, 10, 2), null);
  assert.equal(hit([], 0, 0), null);
});

test("a tree of one leaf is one part, a broken one does not hang", () => {
  assert.equal(layout([{rows: 4, units: 4}]).length, 1);
  assert.equal(layout([]).length, 0);
  assert.equal(layout([{rows: 4, units: 4, attribute: "a", value: "v", yes: 9, no: 9}]).length, 1);
});

test("a chain of 100,000 values is laid out and drawn without a box for each", () => {
  const nodes: VersionNode[] = [];
  const many = 100_000;
  for (let i = 0; i < many; i++)
    nodes.push(
      {rows: many - i + 1, units: 1, attribute: "zip", value: String(i), yes: 2 * i + 1, no: 2 * i + 2},
      {rows: 1, units: 1},
    );
  nodes.push({rows: 1, units: 1});
  const parts = layout(nodes);
  assert.equal(parts.length, many + 2);
  let boxes = 0;
  visible(parts, {from: 0, rows: many + 1}, (many + 1) / 1000, () => boxes++, () => boxes++);
  assert.ok(boxes <= 1003, `${boxes} boxes`);
  let near = 0;
  visible(parts, {from: 50_000, rows: 10}, 0.01, () => near++, () => near++);
  assert.equal(near, 11);
});

test("zooming keeps the row under the pointer in its place and stays inside", () => {
  const view = zoomed({from: 0, rows: 100}, 25, 2, 100);
  assert.deepEqual(view, {from: 12.5, rows: 50});
  assert.equal((25 - view.from) / view.rows, 0.25);
  assert.deepEqual(zoomed(view, 25, 0.1, 100), {from: 0, rows: 100});
  assert.deepEqual(clamped({from: 90, rows: 20}, 100), {from: 80, rows: 20});
  assert.deepEqual(clamped({from: 0, rows: 0}, 0), {from: 0, rows: 0});
});

test("arrow keys go to parents, children and siblings and stop at the edges", () => {
  const parts = layout(kPeople);
  const ohio = at(parts, 0, 1).index;
  assert.equal(neighbour(parts, ohio, "up"), 0);
  assert.equal(neighbour(parts, 0, "up"), 0);
  assert.equal(neighbour(parts, 0, "down"), ohio);
  assert.equal(neighbour(parts, ohio, "left"), ohio);
  assert.equal(neighbour(parts, ohio, "last"), at(parts, 10, 1).index);
  assert.equal(neighbour(parts, at(parts, 10, 1).index, "right"), at(parts, 10, 1).index);
});
