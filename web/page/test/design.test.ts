import assert from "node:assert/strict";
import {test} from "node:test";
import type {TableColumn} from "../src/api.js";
import {
  classesFor,
  factsOf,
  kClasses,
  kExample,
  lineAt,
  offsetOf,
  suggestedForTable,
  withClass,
  withColumn,
} from "../src/design.js";

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
  assert.equal(
    changed,
    kExample.replace("city:       {class: quasi_identifier}", "city:       {class: sensitive}"),
  );
});

test("of two policies the one that is meant is changed", () => {
  const two = kExample + kExample.split("\n").slice(2).join("\n").replace("people_k5", "other");
  const changed = withClass(two, "other", "state", "identifier") ?? "";
  assert.equal(changed.slice(0, kExample.length), kExample);
  assert.match(changed.slice(kExample.length), /state: {6}\{class: identifier\}/);
  assert.match(
    withClass(two, "people_k5", "state", "identifier") ?? "",
    /state: {6}\{class: identifier\}[^]*state: {6}\{class: quasi_identifier\}/,
  );
});

test("a column that is written otherwise is left to whoever writes", () => {
  assert.equal(withClass(kExample, "people_k5", "nothing", "sensitive"), null);
  assert.equal(withClass(kExample, "another", "city", "sensitive"), null);
  assert.equal(
    withClass(
      kExample.replace("{class: quasi_identifier}", "\n        class: quasi_identifier"),
      "people_k5",
      "occupation",
      "sensitive",
    ),
    null,
  );
  assert.equal(
    withClass("- name: p\n  a.c: {class: identifier}\n  abc: {class: identifier}", "p", "a.c", "sensitive"),
    "- name: p\n  a.c: {class: sensitive}\n  abc: {class: identifier}",
  );
});

test("a column that is not listed comes to the end of its policy's list", () => {
  const text = withColumn(kExample, "people_k5", "born", "quasi_identifier") ?? "";
  assert.equal(
    text,
    kExample.replace(
      "state:      {class: quasi_identifier}\n",
      "state:      {class: quasi_identifier}\n      born: {class: quasi_identifier}\n",
    ),
  );
  const two = kExample + kExample.split("\n").slice(2).join("\n").replace("people_k5", "other");
  const first = withColumn(two, "people_k5", "born", "sensitive") ?? "";
  assert.ok(first.indexOf("born") < first.indexOf("other"));
  assert.match(withColumn(kExample, "people_k5", "city", "sensitive") ?? "", /city: {7}\{class: sensitive\}/);
});

test("a key and its domain are left to whoever writes", () => {
  const text = kExample.replace("{class: identifier}", "{class: key, domain: patient}");
  assert.notEqual(text, kExample);
  for (const change of [withClass, withColumn])
    assert.equal(change(text, "people_k5", "id", "identifier"), null);
  assert.match(
    withClass(text, "people_k5", "city", "sensitive") ?? "",
    /id: {9}\{class: key, domain: patient\}[^]*city: {7}\{class: sensitive\}/,
  );
  assert.deepEqual(classesFor("key"), ["key"]);
  for (const now of [undefined, ...kClasses]) assert.equal(classesFor(now).includes("key"), false);
});

test("names that YAML reads otherwise are quoted", () => {
  for (const name of ["on", "Home City", "a: b", "x#y", "ä", "1st"])
    assert.ok(
      (withColumn(kExample, "people_k5", name, "identifier") ?? "").includes(
        `      ${JSON.stringify(name)}: {class: identifier}\n`,
      ),
      name,
    );
});

test("what can't be put in is left to whoever writes", () => {
  assert.equal(withColumn(kExample, "another", "born", "identifier"), null);
  assert.equal(
    withColumn(kExample.replace("    columns:\n", "    columns: {}\n"), "people_k5", "born", "identifier"),
    null,
  );
  const block = kExample.replace(
    "occupation: {class: quasi_identifier}",
    "occupation:\n        class: quasi_identifier",
  );
  assert.equal(withColumn(block, "people_k5", "occupation", "sensitive"), null);
});

const tableColumn = (more: Partial<TableColumn> = {}): TableColumn => ({
  name: "c",
  type: "text",
  kind: "text",
  nullable: true,
  key: false,
  unique: false,
  distinct: 4,
  nearly_unique: false,
  null_share: 0,
  hints: [],
  ...more,
});

test("of a table's columns what may name a row is hidden, and nothing is shown as it is", () => {
  for (const more of [{key: true}, {unique: true}, {nearly_unique: true}, {hints: ["a name"]}])
    assert.equal(suggestedForTable(tableColumn(more)), "identifier");
  assert.equal(suggestedForTable(tableColumn()), "quasi_identifier");
  assert.equal(suggestedForTable(tableColumn({hints: ["a place smaller than a state"]})), "quasi_identifier");
});

test("hints are estimates and names", () => {
  assert.equal(
    factsOf(tableColumn({key: true, unique: true, nullable: false, distinct: 1200, hints: ["a name"]})),
    "of the primary key; about 1 200 different values; never NULL; looks like a name",
  );
  assert.equal(
    factsOf(tableColumn({distinct: null, nearly_unique: true, null_share: 0.5})),
    "nearly every row has a different value; 50.0 % NULL",
  );
});
