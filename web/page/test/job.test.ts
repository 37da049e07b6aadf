import assert from "node:assert/strict";
import {test} from "node:test";
import type {ColumnInfo} from "../src/page-jobs-api.js";
import {kNewForm, usesTables, type JobForm} from "../src/job/form.js";
import {hintOf} from "../src/job/hints.js";
import {hierarchyFile, tableMistake, withCell, withLevel, withoutLevel} from "../src/job/levels.js";
import {largeTableCommand} from "../src/job/large-table.js";
import {formMistake} from "../src/job/mistakes.js";
import {
  attributeOf,
  columnOfTable,
  nullTextOf,
  suggestedClass,
  suggestedHierarchy,
  suggestedWidths,
  withValues,
} from "../src/job/suggestions.js";
import {jobText, quoted, tablesOf, yamlOf} from "../src/job/text.js";

const column = (more: Partial<ColumnInfo>): ColumnInfo => ({
  name: "c",
  distinct: 3,
  empty: 0,
  kind: "text",
  values: ["a", "b", "c"],
  hints: [],
  ...more,
});

const form = (more: Partial<JobForm> = {}): JobForm => ({
  ...kNewForm,
  file: {id: "u1", name: "people.csv", separator: ","},
  attributes: [
    {
      ...attributeOf(column({name: "age", kind: "number", least: 20, greatest: 49}), 100, ""),
      class: "quasi_identifier",
    },
    {...attributeOf(column({name: "town"}), 100, ""), class: "quasi_identifier"},
    {...attributeOf(column({name: "illness"}), 100, ""), class: "sensitive", l: "2"},
  ],
  ...more,
});

test("what may point at a person is not published unless somebody says so", () => {
  assert.equal(suggestedClass(column({distinct: 100}), 100), "identifier");
  assert.equal(suggestedClass(column({hints: ["an e-mail address"]}), 100), "identifier");
  assert.equal(
    suggestedClass(
      column({hints: ["a date finer than a year, or an age above 89", "a place smaller than a state"]}),
      100,
    ),
    "quasi_identifier",
  );
  assert.equal(suggestedClass(column({}), 100), "quasi_identifier");
  for (const rows of [3, 100]) assert.notEqual(suggestedClass(column({}), rows), "insensitive");
});

test("hierarchies are suggested by what the values are", () => {
  assert.equal(suggestedHierarchy(column({kind: "number", least: 0, greatest: 99}), "").kind, "intervals");
  assert.equal(suggestedHierarchy(column({kind: "date"}), "").kind, "dates");
  assert.equal(suggestedHierarchy(column({}), "").kind, "table");
  assert.equal(suggestedHierarchy(column({values: null}), "").kind, "hide");
  assert.equal(suggestedHierarchy(column({values: null, name: "zip_code"}), "").kind, "masking");
  assert.equal(suggestedHierarchy(column({values: null}), "", ["AB12", "CD34", ""]).kind, "masking");
  assert.equal(suggestedHierarchy(column({values: null}), "", ["Exec-managerial", "Sales"]).kind, "hide");
  assert.deepEqual(suggestedHierarchy(column({empty: 2, values: ["a"]}), "").rows, [["", "*"], ["a", "*"]]);
  assert.deepEqual(suggestedHierarchy(column({empty: 2, values: [], distinct: 0}), "NULL").rows, [
    ["NULL", "*"],
  ]);
  assert.equal(suggestedHierarchy(column({values: [], distinct: 0}), "").kind, "hide");
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
suppressed_records: drop
algorithm: flash
limits: {time: 60s, threads: 1}
output: {file: "my_job_anonymized.csv"}
`);
});

test("Mondrian has neither levels nor metrics, and cuts numbers as numbers", () => {
  const text = yamlOf(form({algorithm: "mondrian"}));
  assert.match(text, /"age": \{class: quasi_identifier, numeric: true\}/);
  for (const word of ["suppression", "metric", "suppressed_records", "time"])
    assert.doesNotMatch(text, new RegExp(`\\b${word}:`));
});

test("whatever a name holds stays a text", () => {
  assert.equal(quoted('a"b\\c\n'), '"a\\"b\\\\c\\n"');
  assert.equal(quoted("\u0085\u2028"), '"\\u0085\\u2028"');
  assert.match(
    yamlOf(form({file: {id: "u1", name: 'x}, k: 1 #"', separator: "\t"}})),
    /input: \{file: "x\}, k: 1 #\\"", separator: "tab"\}/,
  );
});

test("the text's files stand for uploads", () => {
  const made = form();
  made.attributes[0]!.hierarchy = {
    ...made.attributes[0]!.hierarchy,
    kind: "file",
    upload: {id: "u2", name: "age.csv", separator: ";"},
  };
  assert.deepEqual(jobText(made, {"levels_2.csv": "u3"}).files, {
    "people.csv": "u1",
    "age.csv": "u2",
    "levels_2.csv": "u3",
  });
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
  assert.match(broken(it => (it.attributes[2]!.l = "two")), /illness: l is a number/);
  assert.match(broken(it => (it.file!.name = "levels_2.csv")), /Two files/);
  assert.match(broken(it => (it.attributes[1]!.hierarchy.rows = [])), /too many values/);
  assert.match(
    broken((it) => ((it.algorithm = "mondrian"), (it.attributes[2]!.delta = "1"))),
    /illness: an algorithm that makes groups can't keep delta/,
  );
  assert.equal(broken(it => (it.attributes[2]!.t = "0.3")), "");
  assert.equal(broken(it => (it.algorithm = "mondrian", it.attributes[0]!.hierarchy.widths = "")), "");
});

test("a job over a table names it, and publishes to another one if that is wanted", () => {
  const over = form({file: null, table: {database: "demo", name: "public.people"}});
  assert.match(yamlOf(over), /^input: \{table: "public.people", database: "demo"\}$/m);
  assert.match(yamlOf(over), /^output: \{file: "my_job_anonymized.csv"\}$/m);
  assert.deepEqual(Object.keys(jobText(over, {}).files), []);
  const published = form({target: "public.out", targetDatabase: "demo"});
  assert.match(yamlOf(published), /^output: \{file: "my_job_anonymized.csv", table: "public.out", database: "demo"\}$/m);
  assert.equal(formMistake(over), null);
  assert.deepEqual([form(), over, published].map(usesTables), [false, true, true]);
  assert.match(formMistake(form({target: "out"})) ?? "", /schema\.table/);
  assert.match(formMistake(form({file: null})) ?? "", /Upload a table/);
});

const ofTable = {
  name: "id",
  type: "integer",
  kind: "number" as const,
  nullable: false,
  key: true,
  unique: true,
  distinct: null,
  nearly_unique: true,
  null_share: 0,
  hints: [],
};
const plain = {...ofTable, key: false, unique: false, nearly_unique: false};

test("of a table's column no value is known, and what names a row is not published", () => {
  const made = attributeOf(columnOfTable(ofTable), -1, "NULL");
  assert.equal(made.class, "identifier");
  assert.deepEqual(made.hierarchy.rows, []);
  assert.equal(attributeOf(columnOfTable(plain), -1, "NULL").class, "quasi_identifier");
});

test("a file's empty cells and a table's NULLs have a text that the hierarchies name", () => {
  assert.match(yamlOf(form({nullText: ""})), /^input: \{file: "people.csv", "null": ""\}$/m);
  const over = {file: null, table: {database: "demo", name: "public.people"}};
  assert.match(yamlOf(form(over)), /^input: \{table: "public.people", database: "demo"\}$/m);
  assert.match(yamlOf(form({...over, nullText: "NULL (1)"})), /database: "demo", "null": "NULL \(1\)"\}$/m);
  assert.equal(nullTextOf([column({})]), null);
  assert.equal(nullTextOf([column({values: ["NULL"]}), column({values: ["NULL (1)"]})]), "NULL (2)");
});

const before = ["id", "age", "town", "job"].map((name) =>
  columnOfTable({...(name === "id" ? ofTable : plain), name, kind: name === "age" ? "number" : "text"}),
);
const looked = {
  rows: 300,
  columns: [
    column({
      name: "id",
      type: "integer",
      kind: "number",
      distinct: 300,
      least: 1,
      greatest: 300,
      values: null,
    }),
    column({
      name: "age",
      type: "integer",
      kind: "number",
      distinct: 40,
      least: 20,
      greatest: 59,
      values: null,
    }),
    column({name: "town", type: "text", empty: 7, distinct: 3, values: ["", "Aber", "Bree"]}),
    column({name: "job", type: "text", distinct: 300, values: null}),
  ],
};

test("a look at a table's values suggests anew, and keeps what somebody chose", () => {
  const attributes = before.map(it => attributeOf(it, -1, "NULL"));
  attributes[1] = {...attributes[1]!, class: "sensitive", isChosen: true, l: "2"};
  const made = withValues(attributes, before, null, looked);
  assert.deepEqual(
    made.attributes.map((it) => it.class),
    ["identifier", "sensitive", "quasi_identifier", "identifier"],
  );
  assert.deepEqual(made.hidden, ["job"]);
  assert.equal(made.attributes[1]!.l, "2");
  assert.equal(made.attributes[1]!.hierarchy.widths, "2, 10, 20");
  assert.equal(made.attributes[2]!.hierarchy.kind, "table");
  assert.deepEqual(made.attributes[2]!.hierarchy.rows, [
    ["NULL", "*"],
    ["", "*"],
    ["Aber", "*"],
    ["Bree", "*"],
  ]);
  assert.deepEqual(made.columns[0]!.hints, ["a row identifier"]);
  assert.equal(made.nullText, null);
});

test("a class that somebody chose is kept though each record has another value", () => {
  const attributes = before.map(it => ({...attributeOf(it, -1, "NULL"), isChosen: true}));
  const made = withValues(attributes, before, null, looked);
  assert.deepEqual(made.hidden, []);
  assert.equal(made.attributes[3]!.class, "quasi_identifier");
  const open = attributes.map(it => ({...it, class: "identifier" as const, isChosen: false}));
  assert.ok(
    withValues(open, before, null, looked).attributes.every((it) => it.class === "identifier"),
    "no look publishes what was hidden",
  );
});

test("a hierarchy that somebody edited is kept, with the values to edit it further", () => {
  const attributes = before.map(it => attributeOf(it, -1, "NULL"));
  attributes[1]!.hierarchy = {...attributes[1]!.hierarchy, widths: "7"};
  attributes[2]!.hierarchy = {...attributes[2]!.hierarchy, kind: "dates", steps: ["year"]};
  const once = withValues(attributes, before, null, looked);
  assert.equal(once.attributes[1]!.hierarchy.widths, "7");
  assert.equal(once.attributes[2]!.hierarchy.kind, "dates");
  assert.equal(once.attributes[2]!.hierarchy.rows.length, 4);
  const edited = structuredClone(once.attributes);
  edited[2]!.hierarchy = {
    ...edited[2]!.hierarchy,
    kind: "table",
    rows: withCell(edited[2]!.hierarchy.rows, 2, 1, "north"),
  };
  const again = withValues(edited, once.columns, once.nullText, looked);
  assert.equal(again.attributes[2]!.hierarchy.rows[2]![1], "north");
});

test("columns that came, went or moved since are told by their names", () => {
  const attributes = before.map(it => attributeOf(it, -1, "NULL"));
  attributes[1] = {...attributes[1]!, class: "insensitive", isChosen: true};
  const moved = {
    rows: 300,
    columns: [column({name: "new", values: ["NULL"]}), ...looked.columns.slice(1, 3)],
  };
  const made = withValues(attributes, before, null, moved);
  assert.deepEqual(
    made.attributes.map((it) => [it.name, it.class]),
    [
      ["new", "quasi_identifier"],
      ["age", "insensitive"],
      ["town", "quasi_identifier"],
    ],
  );
  assert.equal(made.nullText, "NULL (1)");
  assert.equal(made.attributes[2]!.hierarchy.rows[0]![0], "NULL (1)");
});

test("a column is told by what is known of it", () => {
  assert.equal(hintOf(columnOfTable({...plain, distinct: 40}), -1), "integer; about 40 different values");
  assert.equal(hintOf(looked.columns[1]!, 300), "integer; 40 different values; numbers from 20 to 59");
  assert.equal(hintOf(looked.columns[2]!, 300), "text; 3 different values; 7 NULL");
  assert.equal(hintOf(column({distinct: 300, empty: 1}), 300), "every record has a different value; 1 empty");
  assert.equal(hintOf(column({kind: "number", distinct: 0}), 3), "0 different values");
});

test("a table that is too large is for a command, which is told with what the form knows", () => {
  const lines = (more: Partial<JobForm>) => largeTableCommand(form(more)).split(" \\\n  ");
  assert.deepEqual(lines({}), [
    'pgveil-spark --submit "--master spark://HOST:7077 --jars POSTGRESQL_JDBC_JAR"',
    "--url jdbc:postgresql://HOST/DATABASE --user ROLE --output FOLDER my_job.yaml",
  ]);
  const table = {database: "demo", name: "public.people"};
  assert.match(lines({table})[1]!, /^--url jdbc:postgresql:\/\/HOST\/demo /);
  assert.match(lines({table: {...table, database: "a b"}})[1]!, /^--url 'jdbc:postgresql:\/\/HOST\/a%20b' /);
  assert.match(lines({name: "it's; rm x"})[1]!, / 'it'\\''s; rm x\.yaml'$/);
});
