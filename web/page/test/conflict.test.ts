import assert from "node:assert/strict";
import {test} from "node:test";
import {problemOf, type PolicyNow} from "../src/api.js";
import {changesOf, fileNote, hunksOf, lineDiff, merged} from "../src/conflict.js";

const now = (more: Partial<PolicyNow> = {}): PolicyNow => ({
  policy: "p",
  tag: "a",
  database: "demo",
  table: "public.people",
  k: 5,
  unit: null,
  readers: ["analyst"],
  columns: [{name: "city", class: "quasi_identifier"}],
  number: 3,
  built_at: "2026-01-01T00:00:00Z",
  closed_because: null,
  building: null,
  file: "policies/p.yaml",
  file_is_loaded: true,
  file_problem: null,
  ...more,
});

test("what changed of a policy is said in words", () => {
  const words = changesOf(
    now(),
    now({
      tag: "b",
      number: 4,
      k: 7,
      columns: [
        {name: "city", class: "sensitive"},
        {name: "age", class: "identifier"},
      ],
    }),
  );
  assert.deepEqual(words, [
    "it was version 3, and is version 4, built 2026-01-01T00:00:00Z",
    "k was 5, and is 7",
    "column city was quasi identifier, and is sensitive",
    "column age is new: identifier",
  ]);
  assert.deepEqual(changesOf(now(), now({columns: []})), ["column city was removed"]);
  assert.match(changesOf(now(), now({number: 0, built_at: null}))[0] ?? "", /is closed$/);
  assert.deepEqual(changesOf(now(), now({tag: "b"})), ["its text or its file was changed"]);
});

test("a file that is not what was loaded is told of", () => {
  assert.equal(fileNote(now()), null);
  assert.match(fileNote(now({file_is_loaded: false})) ?? "", /RELOAD/);
  assert.match(fileNote(now({file_is_loaded: false, file_problem: "line 3"})) ?? "", /line 3/);
});

test("a conflict brings what is there now", () => {
  assert.equal(problemOf(412, {message: "m", now: now({tag: "b"})}).now?.tag, "b");
  assert.equal(problemOf(412, {message: "m"}).now, undefined);
});

const base = "a\nb\nc\nd\ne\n";

test("lines that differ are found, and put in they give the other text", () => {
  assert.deepEqual(lineDiff(base, "a\nB\nc\nd\ne\nf\n"), [
    {kind: "gone", line: 2, text: "b"},
    {kind: "new", line: 2, text: "B"},
    {kind: "new", line: 6, text: "f"},
  ]);
  assert.deepEqual(lineDiff(base, base), []);
  for (const other of ["", "x", "b\na\n", "a\nb\nb\nc\nd\ne\n", "e\nd\nc\nb\na\n", "\n\n\n"])
    assert.equal(merged(base, base, other), other);
});

test("hunks never overlap and are in order", () => {
  const hunks = hunksOf(base, "x\na\nc\ny\ne\n");
  hunks.forEach((it, at) => assert.ok(at === 0 || it.from > (hunks[at - 1]?.to ?? 0)));
});

test("changes of other lines come together", () => {
  assert.equal(merged(base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n"), "A\nb\nc\nd\nE\n");
  assert.equal(merged(base, "A\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n"), "A\nb\nc\nd\ne\n");
  assert.equal(merged(base, "A\nb\nc\nd\ne\n", base), "A\nb\nc\nd\ne\n");
});

test("changes of one line, or of lines side by side, are nobody's to bring together", () => {
  assert.equal(merged(base, "A\nb\nc\nd\ne\n", "Z\nb\nc\nd\ne\n"), null);
  assert.equal(merged(base, "a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n"), null);
  assert.equal(merged(base, "a\nb\nd\ne\n", "a\nb\nC\nd\ne\n"), null);
});

test("texts without a line in common are one change", () => {
  const many = (word: string) => Array.from({length: 3000}, (_, at) => `${word} ${at}`).join("\n");
  assert.equal(hunksOf(many("a"), many("b")).length, 1);
});
