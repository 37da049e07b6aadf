import assert from "node:assert/strict";
import {test} from "node:test";
import type {ColumnInfo} from "../src/desk-api.js";
import {
  attributeOf, columnOfTable, formMistake, hierarchyFile, jobText, kNewForm, quoted, suggestedClass, suggestedHierarchy, suggestedWidths, tableMistake,
  tablesOf, usesTables, withCell, withLevel, withoutLevel, yamlOf, type JobForm,
} from "../src/desk.js";

const column = (more: Partial<ColumnInfo>): ColumnInfo => ({name: "c", distinct: 3, empty: 0, kind: "text", values: ["a", "b", "c"], hints: [], ...more});

const form = (more: Partial<JobForm> = {}): JobForm => ({
  ...kNewForm,
  file: {id: "u1", name: "people.csv", separator: ","},
  attributes: [
    {...attributeOf(column({name: "age", kind: "number", least: 20, greatest: 49}), 100), class: "quasi_identifier"},
    {...attributeOf(column({name: "town"}), 100), class: "quasi_identifier"},
    {...attributeOf(column({name: "illness"}), 100), class: "sensitive", l: "2"},
  ],
  ...more,
});

test("what may point at a person is not published unless somebody says so", () => {
  assert.equal(suggestedClass(column({distinct: 100}), 100), "identifier");
  assert.equal(suggestedClass(column({hints: ["an e-mail address"]}), 100), "identifier");
  assert.equal(suggestedClass(column({hints: ["a date finer than a year, or an age above 89", "a place smaller than a state"]}), 100), "quasi_identifier");
  assert.equal(suggestedClass(column({}), 100), "quasi_identifier");
  for (const rows of [3, 100]) assert.notEqual(suggestedClass(column({}), rows), "insensitive");
});

test("hierarchies are suggested by what the values are", () => {
  assert.equal(suggestedHierarchy(column({kind: "number", least: 0, greatest: 99})).kind, "intervals");
  assert.equal(suggestedHierarchy(column({kind: "date"})).kind, "dates");
  assert.equal(suggestedHierarchy(column({})).kind, "table");
  assert.equal(suggestedHierarchy(column({values: null})).kind, "masking");
  assert.deepEqual(suggestedHierarchy(column({empty: 2, values: ["a"]})).rows, [["", "*"], ["a", "*"]]);
});

test("each width is a multiple of the one before", () => {
  for (const [least, greatest] of [[20, 49], [0, 1], [1000, 99000], [5, 5], [0.1, 0.2]] as const) {
    const widths = suggestedWidths(least, greatest).split(", ").map(Number);
    assert.equal(widths.length, 3);
    assert.ok(widths.every(it => it > 0));
    for (const [at, width] of widths.entries()) {
      const times = width / (widths[at - 1] ?? width);
      assert.ok(Math.abs(times - Math.round(times)) < 1e-9, `${widths}`);
    }
  }
  assert.equal(suggestedWidths(20, 49), "2, 10, 20");
});

test("a table of levels grows, shrinks and is written as a file", () => {
  const rows = withCell(withLevel([["a;b", "*"], ["c", "*"]]), 1, 1, 'say "x"');
  assert.deepEqual(rows, [["a;b", "a;b", "*"], ["c", 'say "x"', "*"]]);
  assert.equal(hierarchyFile(rows), '"a;b";"a;b";*\nc;"say ""x""";*\n');
  assert.deepEqual(withoutLevel(rows, 1), [["a;b", "*"], ["c", "*"]]);
  assert.equal(hierarchyFile([["", "*"]]), '"";*\n');
});

test("what comes together at a level can't part above it", () => {
  assert.equal(tableMistake([["a", "x", "*"], ["b", "x", "*"]]), null);
  assert.match(tableMistake([["a", "x", "1"], ["b", "x", "2"]]) ?? "", /"x" of level 1 is both "1" and "2"/);
});

test("the form becomes the text of a job", () => {
  assert.equal(yamlOf(form()), `version: 1
name: "my_job"
input: {file: "people.csv"}
attributes:
  "age": {class: quasi_identifier, hierarchy: {intervals: {widths: [2, 10, 20]}}}
  "town": {class: quasi_identifier, hierarchy: {file: "levels_2.csv"}}
  "illness": {class: sensitive, l_diversity: {distinct: 2}}
k: 5
suppression: 5%
metric: loss
outliers: drop
algorithm: flash
limits: {time: 60s, threads: 1}
output: {file: result.csv}
`);
});

test("Mondrian has neither levels nor metrics, and cuts numbers as numbers", () => {
  const text = yamlOf(form({algorithm: "mondrian"}));
  assert.match(text, /"age": \{class: quasi_identifier, numeric: true\}/);
  for (const word of ["suppression", "metric", "outliers", "time"]) assert.doesNotMatch(text, new RegExp(`\\b${word}:`));
});

test("whatever a name holds stays a text", () => {
  assert.equal(quoted('a"b\\c\n'), '"a\\"b\\\\c\\n"');
  assert.equal(quoted("\u0085\u2028"), '"\\u0085\\u2028"');
  assert.match(yamlOf(form({file: {id: "u1", name: 'x}, k: 1 #"', separator: "tab"}})), /input: \{file: "x\}, k: 1 #\\"", separator: "tab"\}/);
});

test("the text's files stand for uploads", () => {
  const made = form();
  made.attributes[0]!.hierarchy = {...made.attributes[0]!.hierarchy, kind: "file", upload: {id: "u2", name: "age.csv"}};
  assert.deepEqual(jobText(made, {"levels_2.csv": "u3"}).files, {"people.csv": "u1", "age.csv": "u2", "levels_2.csv": "u3"});
  assert.deepEqual(Object.keys(tablesOf(made)), ["levels_2.csv"]);
});

test("mistakes are told before anything is asked", () => {
  assert.equal(formMistake(form()), null);
  assert.match(formMistake(form({file: null})) ?? "", /Upload/);
  assert.match(formMistake(form({attributes: []})) ?? "", /No column/);
  const broken = (change: (made: JobForm) => void) => {
    const made = structuredClone(form());
    change(made);
    return formMistake(made) ?? "";
  };
  assert.match(broken(it => (it.attributes[0]!.hierarchy.widths = " ")), /widths/);
  assert.match(broken(it => (it.attributes[0]!.hierarchy.widths = "5]}, k: 1")), /numbers/);
  assert.match(broken(it => (it.attributes[0]!.hierarchy.kind = "file")), /upload its hierarchy/);
  assert.match(broken(it => (it.attributes[2]!.l = "two")), /l and t/);
  assert.match(broken(it => (it.file!.name = "levels_2.csv")), /Two files/);
  assert.match(broken(it => (it.attributes[1]!.hierarchy.rows = [])), /too many values/);
});

test("a job over a table names it, and publishes to another one if that is wanted", () => {
  const over = form({file: null, table: {database: "demo", name: "public.people"}});
  assert.match(yamlOf(over), /^input: \{table: "public.people", database: "demo"\}$/m);
  assert.match(yamlOf(over), /^output: \{file: result.csv\}$/m);
  assert.deepEqual(Object.keys(jobText(over, {}).files), []);
  const published = form({target: "public.out", targetDatabase: "demo"});
  assert.match(yamlOf(published), /^output: \{file: result.csv, table: "public.out", database: "demo"\}$/m);
  assert.equal(formMistake(over), null);
  assert.deepEqual([form(), over, published].map(usesTables), [false, true, true]);
  assert.match(formMistake(form({target: "out"})) ?? "", /schema\.table/);
  assert.match(formMistake(form({file: null})) ?? "", /Upload a table/);
});

test("of a table's column no value is known, and what names a row is not published", () => {
  const own = {name: "id", type: "integer", kind: "number" as const, nullable: false, key: true, unique: true, distinct: null, nearly_unique: true, null_share: 0, hints: []};
  const made = attributeOf(columnOfTable(own), -1);
  assert.equal(made.class, "identifier");
  assert.deepEqual(made.hierarchy.rows, []);
  assert.equal(attributeOf(columnOfTable({...own, key: false, unique: false, nearly_unique: false}), -1).class, "quasi_identifier");
});
