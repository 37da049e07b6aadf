import assert from "node:assert/strict";
import {test} from "node:test";
import {
  cardsOf, gaps, kMostQuasi, laneOf, moved, shifted, withLevels, withProposals, type Lane,
} from "../src/policy-text/board.js";
import {policyNames, readForm, type FormColumn, type PolicyForm} from "../src/policy-text/form.js";
import {columnStatement, exampleOf, levelsFor, toggled} from "../src/policy-text/levels.js";
import {kExample} from "../src/design.js";
import {newText, withForm} from "../src/policy-text/write.js";
import {readYaml} from "../src/policy-text/yaml.js";

const kText = `# What the hospital agreed on.
version: 1
policies:
  - name: people_k5            # on the console
    database: demo
    table: public.people

    # five is enough here
    k: 5
    strategy: greedy
    readers: [analyst, bi]
    exempt_roles: [dpo]
    columns:
      id:         {class: identifier}         # always NULL
      city:       {class: quasi_identifier}
      "Größe <m>": {class: quasi_identifier, generalize: {width: 10}}
      birth: {class: quasi_identifier, generalize: [{period: year, column: y}, {groups: {a: [1]}}]}
      diagnosis:  {class: sensitive, l_diversity: {distinct: 2}}
      visits:
        class: insensitive
    drift: {check_every: 24h, action: suppress}
`;

function form(text: string, policy = "people_k5"): PolicyForm {
  const reading = readForm(text, policy);
  assert.ok("form" in reading, JSON.stringify(reading));
  return reading.form;
}

/** Writes, reads again, and compares with what was wanted. */
function written(text: string, change: (form: PolicyForm) => PolicyForm, policy = "people_k5"): string {
  const wanted = change(form(text, policy));
  const out = withForm(text, policy, wanted);
  assert.deepEqual(form(out, wanted.name), wanted);
  return out;
}

function move(of: PolicyForm, column: string, lane: Lane, before: string | null = null) {
  const made = moved(of, column, lane, before);
  assert.ok("form" in made, JSON.stringify(made));
  return made.form;
}

test("a policy is read as a form", () => {
  const read = form(kText);
  assert.equal(read.k, 5);
  assert.deepEqual(read.table, ["public", "people"]);
  assert.deepEqual(read.readers, ["analyst", "bi"]);
  assert.deepEqual(read.columns.map(it => it.class), [
    "identifier", "quasi_identifier", "quasi_identifier", "quasi_identifier", "sensitive", "insensitive"]);
  assert.deepEqual(read.columns[2], {
    name: "Größe <m>", class: "quasi_identifier", levels: [{kind: "width", width: 10, column: null}]});
  assert.deepEqual(read.columns[3]?.levels, [
    {kind: "period", period: "year", column: "y"}, {kind: "other", text: "{groups: {a: [1]}}"}]);
});

test("a form that is not changed changes no byte", () => {
  assert.equal(written(kText, it => it), kText);
});

test("another k changes its number alone", () => {
  assert.equal(written(kText, it => ({...it, k: 11})), kText.replace("    k: 5\n", "    k: 11\n"));
});

test("another class changes its word, and keys of the class before go", () => {
  const city = written(kText, it => move(it, "city", "identifier"));
  const line = "city:       {class: quasi_identifier}";
  assert.equal(city, kText.replace(line, "city:       {class: identifier}"));
  const diagnosis = written(kText, it => move(it, "diagnosis", "identifier"));
  assert.match(diagnosis, /diagnosis: {2}\{class: identifier\}\n/);
  const size = written(kText, it => move(it, "Größe <m>", "sensitive"));
  assert.match(size, /"Größe <m>": \{class: sensitive\}\n/);
  const visits = written(kText, it => move(it, "visits", "quasi"));
  assert.match(visits, /visits:\n {8}class: quasi_identifier\n {4}drift/);
});

test("levels of a column are written, and those that the form does not have are kept", () => {
  const city = written(kText, it => withLevels(it, "city", [{kind: "prefix", length: 3, column: null}]));
  assert.match(city, /city: {7}\{class: quasi_identifier, generalize: \{prefix: 3\}\}\n/);
  const visits = written(
    written(kText, it => move(it, "visits", "quasi")),
    it => withLevels(it, "visits", [{kind: "width", width: 5, column: "visits_5"}]),
  );
  assert.match(visits, / {8}class: quasi_identifier\n {8}generalize: \{width: 5, column: visits_5\}\n/);
  const birth = written(kText, it => withLevels(it, "birth", it.columns[3]?.levels.slice(1) ?? []));
  assert.match(birth, /birth: \{class: quasi_identifier, generalize: \{groups: \{a: \[1\]\}\}\}\n/);
  const none = written(kText, it => withLevels(it, "Größe <m>", []));
  assert.match(none, /"Größe <m>": \{class: quasi_identifier\}\n/);
});

test("priority comes before the columns, is changed and goes", () => {
  const first = written(kText, it => move(it, "birth", "first"));
  assert.match(first, /readers: \[analyst, bi\]\n {4}priority: \[birth\]\n {4}exempt_roles/);
  const second = written(first, it => move(it, "city", "first", "birth"));
  assert.match(second, /priority: \[city, birth\]\n/);
  const gone = written(second, it => move(move(it, "city", "quasi"), "birth", "quasi"));
  assert.equal(gone, kText);
});

test("columns are added with the name they have, and taken away with their line", () => {
  const names = ["new", "true", 'a"b', "<b>", "Straße", "a: b", "#c"];
  const added = written(kText, it => names.reduce((of, name) => move(of, name, "quasi"), it));
  assert.ok(added.includes(`      "a\\"b": {class: quasi_identifier}\n`));
  assert.ok(added.includes(`      "true": {class: quasi_identifier}\n    drift`) === false);
  const fewer = written(added, it => ({...it, columns: it.columns.filter(of => !names.includes(of.name))}));
  assert.equal(fewer, kText);
});

test("readers become grants and come back", () => {
  const grants = written(kText, it => ({...it, readers: [], usesGrants: true}));
  assert.match(grants, /access: from_database\n/);
  assert.doesNotMatch(grants, /readers/);
  assert.match(written(grants, it => ({...it, readers: ["bi"], usesGrants: false})), /readers: \[bi\]\n/);
});

test("of two policies the one that is meant is changed", () => {
  const two = kText + kText.split("\n").slice(3).join("\n").replace("people_k5", "other");
  assert.deepEqual(policyNames(two), ["people_k5", "other"]);
  const out = written(two, it => ({...it, k: 7}), "other");
  assert.equal(out.slice(0, kText.length), kText);
  assert.match(out.slice(kText.length), /k: 7\n/);
});

test("lists below their key are changed as well", () => {
  const below = kText.replace("readers: [analyst, bi]", "readers:\n    - analyst   # both\n    - bi");
  assert.deepEqual(form(below).readers, ["analyst", "bi"]);
  assert.match(written(below, it => ({...it, readers: ["bi"]})), /readers: \[bi\]\n {4}exempt_roles/);
});

test("what the form does not have makes it read-only, with the reason", () => {
  const reason = (text: string) => {
    const reading = readForm(text, "people_k5");
    return "reason" in reading ? reading.reason : "";
  };
  assert.match(reason(kText.replace("table: public.people", "source: |\n      SELECT 1\n")), /a source/);
  assert.match(reason(kText.replace("{class: identifier} ", "{class: key, domain: p} ")), /key of an entity/);
  assert.match(reason(kText.replace("k: 5", "k: *five")), /does not have this YAML/);
  assert.match(reason(kText.replace("k: 5", "k: many")), /not a whole number/);
  assert.match(reason(kText.replace("class: insensitive", "class: secret")), /not a class/);
  assert.match(reason(kText.replace("drift", "k")), /there twice/);
  assert.match(reason("version: 1\n"), /no policy/);
  assert.match(reason(""), /empty/);
  assert.match(reason(kText.replace("{class: identifier} ", "{class: identifier ")), /comma or a bracket/);
});

test("a policy with a workload or weights keeps its order", () => {
  const line = "city:       {class: quasi_identifier}";
  const weighed = kText.replace(line, "city: {class: quasi_identifier, weight: 3}");
  assert.deepEqual(moved(form(weighed), "birth", "first", null), {
    refusal: "This policy has a weight, which decides what is shown first."});
  const asked = kText.replace("    k: 5", "    k: 5\n    workload:\n      - {group_by: [city], weight: 2}");
  assert.equal(form(asked).orderedBy, "workload");
  assert.match(written(asked, it => move(it, "city", "identifier")), /group_by: \[city\], weight: 2/);
});

test("a source's block text and quotes are read", () => {
  const root = readYaml("a: |\n  SELECT 1\n    FROM t\n\nb: 'it''s'\nc: \"x\\ty # z\" # d\ne: http://x#y\n");
  assert.equal(root.kind, "map");
  const entries = root.kind === "map" ? root.entries : [];
  const texts = entries.map(it => (it.value.kind === "scalar" ? it.value.text : ""));
  assert.deepEqual(texts, ["SELECT 1\n  FROM t\n", "it's", "x\ty # z", "http://x#y"]);
});

test("a new text is a policy with its reasons", () => {
  const wanted: PolicyForm = {
    name: "patients_k11", database: "my db", table: ["public", 'a"b.c'], k: 11, unit: "id",
    readers: ["analyst"], usesGrants: false, priority: ["city"], orderedBy: null,
    columns: [
      {name: "id", class: "identifier", levels: []},
      {name: "city", class: "quasi_identifier", levels: [{kind: "prefix", length: 2, column: null}]},
    ],
  };
  const text = newText(wanted, new Map([["id", "a number\nof a person"]]));
  assert.deepEqual(form(text, "patients_k11"), wanted);
  assert.match(text, / {6}# a number of a person\n {6}id: \{class: identifier\}\n/);
});

test("columns that are not listed are hidden cards", () => {
  const read = form(kText);
  assert.equal(laneOf(read, "unknown"), "identifier");
  assert.deepEqual(cardsOf(read, ["unknown", "id"], "identifier"), ["id", "unknown"]);
});

test("a column is one card, even if the text contradicts itself", () => {
  const read = {...form(kText), priority: ["diagnosis", "city", "gone"]};
  assert.deepEqual(cardsOf(read, [], "first"), ["city"]);
  assert.deepEqual(cardsOf(read, [], "sensitive"), ["diagnosis"]);
});

test("at most eight columns are shown first", () => {
  let read = form(kText);
  for (let at = 0; at < 8; at++) read = move(read, `c${at}`, "first");
  assert.ok("refusal" in moved(read, "city", "first", null));
  assert.ok("form" in moved(read, "c3", "first", "c0"));
  assert.deepEqual(shifted(read, "c1", -1).priority.slice(0, 2), ["c1", "c0"]);
  assert.deepEqual(shifted(read, "c0", -1), read);
  assert.deepEqual(shifted(read, "c7", 1), read);
});

test("the column of the unit stays hidden, and a policy without quasi-identifiers is not ready", () => {
  assert.ok("refusal" in moved({...form(kText), unit: "id"}, "id", "sensitive", null));
  assert.equal(gaps(form(kText)).length, 0);
  assert.match(gaps({...form(kText), columns: []})[0] ?? "", /No column/);
});

test("levels that a type has can be clicked, and show an example", () => {
  const [year] = levelsFor("date").choices.filter(it => it.kind === "period" && it.period === "year");
  assert.ok(year);
  assert.deepEqual(exampleOf(year), ["1987-05-04", "1987-01-01"]);
  assert.deepEqual(toggled([], year, null), [year]);
  assert.deepEqual(toggled([year], year, null), []);
  assert.deepEqual(toggled([{kind: "width", width: 5, column: null}], year, null), [year]);
  assert.equal(levelsFor("timestamp with time zone").isInPlace, false);
  assert.equal(levelsFor("numeric(8,2)").isInPlace, false);
  assert.equal(levelsFor("character varying(20)").isInPlace, true);
  assert.match(levelsFor("double precision").reason ?? "", /numeric/);
  assert.deepEqual(exampleOf({kind: "width", width: 10, column: "r"}), ["37", "[30,40)"]);
  assert.equal(columnStatement(["public", 'A"b'], "x"), 'ALTER TABLE public."A""b" ADD COLUMN x text;');
});

test("three hundred columns are written and read in a moment", () => {
  let text = kText;
  const names = Array.from({length: 300}, (_, at) => `column_${at}`);
  text = written(text, it => ({...it, columns: [...it.columns, ...names.map(
    (name) => ({name, class: "insensitive" as const, levels: []}))]}));
  assert.equal(form(text).columns.length, 306);
});

/** The text after one column got this class, or was added with it. */
function withClass(text: string, column: string, own: FormColumn["class"]): string {
  const read = form(text);
  const others = read.columns.filter(it => it.name !== column);
  const known = read.columns.map(it => (it.name === column ? {...it, class: own} : it));
  const isKnown = others.length < read.columns.length;
  const columns = isKnown ? known : [...known, {name: column, class: own, levels: []}];
  return withForm(text, "people_k5", {...read, columns});
}

test("a class is written beside what it was, below it, or at the end", () => {
  const line = "city:       {class: quasi_identifier}";
  assert.equal(
    withClass(kExample, "city", "sensitive"), kExample.replace(line, "city:       {class: sensitive}"));
  const below = kExample.replace("{class: quasi_identifier}", "\n        class: quasi_identifier");
  assert.match(withClass(below, "occupation", "sensitive"), /n: \n {8}class: sensitive\n/);
  assert.equal(
    withClass(kExample, "born", "quasi_identifier"), `${kExample}      born: {class: quasi_identifier}\n`);
  const empty = kExample.slice(0, kExample.indexOf("    columns:")) + "    columns: {}\n";
  assert.match(withClass(empty, "a.b", "identifier"), /columns: \{"a\.b": \{class: identifier\}\}/);
});

test("names that YAML reads otherwise are quoted", () => {
  for (const name of ["on", "Home City", "a: b", "x#y", "ä", "1st"])
    assert.ok(
      withClass(kExample, name, "identifier").includes(
        `      ${JSON.stringify(name)}: {class: identifier}\n`), name);
});

test("columns that a policy does not list get the classes that are proposed", () => {
  const table = [
    {name: "id", class: "insensitive" as const},
    {name: "born", class: "quasi_identifier" as const},
    {name: "note", class: null},
  ];
  const before = form(kExample);
  const {columns, priority} = withProposals(before, table);
  assert.deepEqual(columns.slice(0, before.columns.length), before.columns);
  assert.deepEqual(columns.slice(before.columns.length), [
    {name: "born", class: "quasi_identifier", levels: []}, {name: "note", class: "identifier", levels: []},
  ]);
  assert.deepEqual(priority, before.priority);
  const many = Array.from({length: 70}, (_, at) => ({name: `c${at}`, class: "quasi_identifier" as const}));
  const most = withProposals(before, many).columns.filter(it => it.class === "quasi_identifier");
  assert.equal(most.length, kMostQuasi);
});
