import assert from "node:assert/strict";
import {beforeEach, test} from "node:test";
import {
  ApiError,
  type AnswerError,
  type PolicyNow,
} from "../src/api.js";
import {buildsOf} from "../src/builds.js";
import type {Connection, FoundTable, ProposedColumn, TableDraft} from "../src/protect/api.js";
import {fileConflictOf, isLost, nextFor, policyConflictOf} from "../src/protect/applying.js";
import {clientLines, firstQuestion} from "../src/protect/clients.js";
import {headline, measuredOf, nextK, sentenceOf, stopOf, kStops} from "../src/protect/curve.js";
import {
  barrier,
  curveKey,
  formOf,
  freeName,
  isChanged,
  keptFlows,
  newFlow,
  openFlow,
  stateNow,
  withFormOf,
  withText,
} from "../src/protect/flow.js";
import {inOrder, matching, summaryOf} from "../src/protect/tables.js";
import {linkToProtect, routeOf} from "../src/route.js";

const found = (name: string, more: Partial<FoundTable> = {}): FoundTable => ({
  table: `public.${name}`,
  schema: "public",
  name,
  kind: "table",
  rows: 10,
  state: "unlisted",
  why: null,
  policies: [],
  looks: "unknown",
  reason: "",
  personal: [],
  can_draft: true,
  why_not: null,
  ...more,
});

const column = (name: string, own: ProposedColumn["class"], reason = ""): ProposedColumn => ({
  name,
  type: "text",
  kind: "text",
  nullable: true,
  key: false,
  unique: false,
  distinct: 3,
  nearly_unique: false,
  null_share: 0,
  hints: [],
  class: own,
  reason,
  generalize: null,
  more: null,
});

const kColumns: TableDraft = {
  rows: 10,
  sampled: 10,
  may_count: true,
  looks: "unknown",
  reason: "",
  columns: [column("id", "identifier"), column("city", "quasi_identifier", "a place"), column("odd", null)],
  draft: null,
  why_not: "no person was found",
};

beforeEach(() => keptFlows.clear());

test("tables that want a decision come first", () => {
  const tables = [
    found("z", {looks: "reference"}),
    found("done", {looks: "persons", state: "protected"}),
    found("visits", {looks: "events"}),
    found("people", {looks: "persons"}),
    found("a"),
  ];
  assert.deepEqual(inOrder(tables).map(it => it.name), ["people", "visits", "a", "z", "done"]);
  assert.equal(summaryOf(tables), "3 of 5 tables look personal; 2 of them are not protected yet.");
  assert.equal(summaryOf([]), "This database has no tables.");
  assert.match(summaryOf([found("a")]), /None of 1 tables/);
});

test("a search finds words of names, columns and reasons, all of them", () => {
  const tables = [
    found("people", {looks: "persons", personal: [{column: "mail", what: "an e-mail address"}]}),
    found("goods", {looks: "reference"}),
  ];
  assert.deepEqual(matching(tables, "all", "E-MAIL people").map(it => it.name), ["people"]);
  assert.deepEqual(matching(tables, "all", "mail goods"), []);
  assert.deepEqual(matching(tables, "personal", "").map(it => it.name), ["people"]);
  assert.equal(matching([found("x", {state: "protected"})], "unprotected", "").length, 0);
});

test("two thousand tables are put in order and searched in a moment", () => {
  const many = Array.from({length: 2000}, (_, at) => found(`t${at}`));
  assert.equal(matching(inOrder(many), "all", "t1999").length, 1);
});

test("the chosen k is asked for first, then those that say most, each once", () => {
  assert.equal(nextK(new Set(), 11), 11);
  assert.equal(nextK(new Set([11]), 11), 5);
  const known = new Set<number>();
  for (let k = nextK(known, 11); k !== null; k = nextK(known, 11)) known.add(k);
  assert.equal(known.size, 11);
  assert.equal(kStops[stopOf(11)], 11);
  assert.equal(stopOf(1_000_000), kStops.length - 1);
});

const error = (more: Partial<AnswerError> = {}): AnswerError => ({
  columns: ["city"],
  groups: 5,
  groups_shown: 3,
  rows: 100,
  rows_shown: 90,
  mean_error_ppm: 31_000,
  p95_error_ppm: 0,
  top_groups: 3,
  top_kept: 3,
  ...more,
});

test("what k costs is a sentence", () => {
  assert.equal(sentenceOf(10, error()), "At k = 10, counts by city are 3.1\u00a0% too low on average.");
  assert.match(sentenceOf(10, error({mean_error_ppm: 0})), /are exact/);
  assert.match(sentenceOf(10, error({rows_shown: 0})), /never shown/);
  assert.match(sentenceOf(10, error({rows: 0})), /no values/);
  const columns = [error(), error({columns: ["sex"], mean_error_ppm: 500_000})];
  const utility = {columns, pairs: [], declared: [], implied: []};
  assert.match(headline(5, utility, []) ?? "", /by sex are 50/);
  assert.match(headline(5, utility, ["gone", "city"]) ?? "", /by city/);
  assert.equal(headline(5, {...utility, columns: []}, []), null);
  assert.equal(measuredOf({k: 9, error: "too few"}), null);
});

const kConnection: Connection = {
  host: null, port: 6432, databases: ["demo"], sslmode: "require", is_loopback: false};

test("lines for tools carry odd names, and no password", () => {
  const lines = clientLines(kConnection, "::1", "o'brien", "my db");
  const text = (tool: string) => lines.find(it => it.tool === tool)?.text ?? "";
  assert.equal(text("psql"), "psql -h ::1 -p 6432 -U 'o'\\''brien' 'my db'");
  assert.equal(text("JDBC"), "jdbc:postgresql://[::1]:6432/my%20db?user=o'brien&sslmode=require");
  const superset = "postgresql+psycopg2://o'brien:PASSWORD@[::1]:6432/my%20db?sslmode=require";
  assert.equal(text("Superset"), superset);
  assert.match(text("Metabase"), /Use a secure connection \(SSL\): yes/);
  const plain = clientLines({...kConnection, sslmode: "disable", host: "192.0.2.1"}, "x", "bi", "demo");
  assert.equal(plain[0]?.text, "psql -h 192.0.2.1 -p 6432 -U bi demo");
  assert.equal(plain[1]?.text, "jdbc:postgresql://192.0.2.1:6432/demo?user=bi");
});

test("a first question quotes what needs it", () => {
  assert.equal(firstQuestion("public", 'A"b', null), 'SELECT count(*) FROM public."A""b";');
  assert.match(firstQuestion("s", "t", "Größe"), /^SELECT "Größe", count\(\*\) FROM s\.t GROUP BY "Größe"/);
});

test("a table without a draft gets a text in which nothing is shown that was not proposed", () => {
  const flow = newFlow("demo", found("Odd Table!"), kColumns, "policies", ["odd_table"]);
  assert.equal(flow.policy, "odd_table_2");
  assert.equal(flow.base.name, "policies/odd_table_2.yaml");
  const form = formOf(flow);
  assert.deepEqual(form?.table, ["public", "Odd Table!"]);
  assert.deepEqual(form?.columns.map(it => it.class), ["identifier", "quasi_identifier", "identifier"]);
  assert.equal(isChanged(flow), true);
  assert.equal(freeName("1999", []), "t_1999");
  assert.equal(freeName("Ω", []), "t");
});

test("a draft is taken as it is, and a flow outlives a visit of another page", () => {
  const draft = {
    policy: "people", file: "policies/people.yaml", k: 11, k_reason: "", unit: null, unit_reason: null,
    priority: [], findings: [], yaml: "version: 1 # mine\n",
  };
  const flow = newFlow("demo", found("people"), {...kColumns, draft}, "policies", []);
  assert.equal(flow.text, draft.yaml);
  keptFlows.write({...flow, step: "k"});
  assert.equal(keptFlows.read("demo", "public.people")?.step, "k");
  assert.equal(keptFlows.read("demo.public", "people"), null);
  keptFlows.clear();
  assert.equal(keptFlows.read("demo", "public.people"), null);
});

test("the curve is another one for other columns, not for another k or other readers", () => {
  const flow = newFlow("demo", found("people"), kColumns, "policies", []);
  const form = formOf(flow);
  assert.ok(form);
  const key = curveKey(flow);
  assert.equal(curveKey(withFormOf(flow, {...form, k: 50, readers: ["bi"]})), key);
  assert.notEqual(curveKey(withFormOf(flow, {...form, priority: ["city"]})), key);
});

test("a policy that is renamed in the text is followed, and a text that breaks is kept", () => {
  const flow = newFlow("demo", found("people"), kColumns, "policies", []);
  const renamed = withText(flow, flow.text.replace("name: people", "name: persons"));
  assert.equal(renamed.policy, "persons");
  assert.equal(formOf(renamed)?.name, "persons");
  const broken = withText(flow, `${flow.text}  oops`);
  assert.equal(formOf(broken), null);
  assert.equal(broken.policy, "people");
});

test("readers connect only after Apply and Build", () => {
  const flow = newFlow("demo", found("people"), kColumns, "policies", []);
  assert.match(barrier(flow, "connect") ?? "", /applied and built/);
  assert.equal(barrier(flow, "apply"), null);
  const reload = {columns: [], rows: [], notices: []};
  const answer = {undo: "1", file: {name: "f", tag: "t"}, reload, policies: [], missing: [], warnings: []};
  const applied = {...flow, applied: {answer, before: flow.base}, toBuild: ["people"]};
  assert.notEqual(barrier(applied, "connect"), null);
  assert.equal(stateNow(applied), "closed");
  assert.equal(barrier({...applied, toBuild: []}, "connect"), null);
  assert.equal(stateNow({...applied, toBuild: []}), "protected");
  const base = {name: "f", tag: "t", yaml: flow.text};
  const open = openFlow("demo", found("people", {state: "protected"}), kColumns, "people", base);
  assert.equal(barrier(open, "connect"), null);
  assert.notEqual(barrier({...open, text: "other"}, "connect"), null);
});

const now = (more: Partial<PolicyNow> = {}): PolicyNow => ({
  policy: "p", tag: "t", database: "d", table: "x.y", k: 2, unit: null, readers: ["analyst"],
  columns: [], number: 0, built_at: null,
  closed_because: "build needed", building: null, file: "f", file_is_loaded: true, file_problem: null,
  ...more,
});

test("what came between Apply and Build is told apart", () => {
  const of = (status: number, body: unknown) => new ApiError({status, message: ""}, body);
  const file = {name: "f", tag: "t", yaml: "x"};
  assert.deepEqual(fileConflictOf(of(409, {now: file})), {now: file});
  assert.deepEqual(fileConflictOf(of(409, {now: null})), {now: null});
  assert.equal(fileConflictOf(of(409, {reload: {}})), null);
  assert.equal(fileConflictOf(of(409, {now: {name: "f"}})), null);
  assert.equal(fileConflictOf(of(400, {now: file})), null);
  assert.equal(fileConflictOf(new Error("x")), null);
  assert.equal(isLost(of(0, null)), true);
  assert.equal(isLost(of(502, null)), false);
  assert.equal(policyConflictOf(new ApiError({status: 412, message: "", now: now()}))?.policy, "p");
  assert.equal(nextFor(now()), "build");
  assert.equal(nextFor(now({building: "since 10:00"})), "wait");
  assert.equal(nextFor(now({number: 3, closed_because: null})), "nothing");
  assert.equal(nextFor(now({number: 3, closed_because: "drift"})), "build");
});

test("running builds are read, and what is none is nothing", () => {
  const build = {policy: "p", stage: "counting", done: 1, share: null, seconds_left: null};
  assert.deepEqual(buildsOf(JSON.stringify([build, 7, null])), [build]);
  assert.deepEqual(buildsOf("{}"), []);
  assert.deepEqual(buildsOf("<"), []);
});

test("a table with any name has an address", () => {
  const odd = 'public.a/b "ü" <x>#%';
  const at = {database: "my db", table: odd};
  assert.deepEqual(routeOf(linkToProtect(at.database, at.table)), {page: "protect", at});
  assert.deepEqual(routeOf("#/protect"), {page: "protect", at: null});
});

