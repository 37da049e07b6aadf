import assert from "node:assert/strict";
import {test} from "node:test";
import {kExample, lineAt, offsetOf, withClass} from "../src/design.js";

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

test("another class of a column changes its word alone", () => {
  const changed = withClass(kExample, "people_k5", "city", "sensitive");
  assert.equal(changed, kExample.replace("city:       {class: quasi_identifier}", "city:       {class: sensitive}"));
});

test("of two policies the one that is meant is changed", () => {
  const two = kExample + kExample.split("\n").slice(2).join("\n").replace("people_k5", "other");
  const changed = withClass(two, "other", "state", "identifier") ?? "";
  assert.equal(changed.slice(0, kExample.length), kExample);
  assert.match(changed.slice(kExample.length), /state: {6}\{class: identifier\}/);
  assert.match(withClass(two, "people_k5", "state", "identifier") ?? "", /state: {6}\{class: identifier\}[^]*state: {6}\{class: quasi_identifier\}/);
});

test("a column that is written otherwise is left to whoever writes", () => {
  assert.equal(withClass(kExample, "people_k5", "nothing", "sensitive"), null);
  assert.equal(withClass(kExample, "another", "city", "sensitive"), null);
  assert.equal(withClass(kExample.replace("{class: quasi_identifier}", "\n        class: quasi_identifier"), "people_k5", "occupation", "sensitive"), null);
  assert.equal(withClass("- name: p\n  a.c: {class: identifier}\n  abc: {class: identifier}", "p", "a.c", "sensitive"),
               "- name: p\n  a.c: {class: sensitive}\n  abc: {class: identifier}");
});
