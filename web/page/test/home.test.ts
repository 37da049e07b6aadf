import assert from "node:assert/strict";
import {test} from "node:test";
import {decisionsOf} from "../src/home/decisions.js";
import {byUrgency, healthOf} from "../src/home/health.js";
import {countsOf, type TableStanding} from "../src/home/tables.js";

const row = (policy: string, more: Record<string, string | null> = {}) => ({
  policy,
  database: "demo",
  table: `public.${policy}`,
  k: "5",
  version: "3",
  state: "open",
  built_at: "2026-11-20T10:00:00Z",
  disclosed: "45.5%",
  mean_error: "1.0%",
  closed_because: null,
  building: null,
  last_failure: null,
  failure: null,
  last_check: null,
  finding: null,
  ...more,
});

const unbuilt = {state: "closed", version: null, closed_because: "build needed"};
const withdrawn = {state: "closed", closed_because: "withdrawn: a cohort fell below k; build needed"};
const failed = {last_failure: "2026-11-25T10:00:00Z", failure: "no memory"};

const table = (name: string, more: Partial<TableStanding> = {}): TableStanding => ({
  table: name,
  kind: "table",
  rows: null,
  state: "unlisted",
  looks: "unknown",
  reason: "",
  personal: [],
  ...more,
});

test("a policy is healthy, was never built, is closed or is being built", () => {
  assert.equal(healthOf(row("a")).tone, "good");
  assert.equal(healthOf(row("a", unbuilt)).state, "unbuilt");
  assert.equal(healthOf(row("a", withdrawn)).state, "closed");
  assert.equal(healthOf(row("a", {...unbuilt, building: "counting, 3 %"})).state, "building");
  assert.equal(healthOf(row("a", failed)).tone, "warn");
});

test("a closed policy that had a version is not called unbuilt", () => {
  assert.equal(healthOf(row("a", {state: "closed", closed_because: "build needed"})).state, "closed");
});

test("a policy that no longer fits its table is told, and one that fits is not", () => {
  const check = (finding: string | null) =>
    healthOf(row("a", {last_check: "2026-11-25T10:00:00Z", finding}));
  for (const fine of ["ok", "ok: answers come from the rows of the build", null]) {
    assert.equal(check(fine).tone, "good", String(fine));
    assert.deepEqual(decisionsOf([check(fine)], []), []);
  }
  const drifted = check("2 splits fell below k");
  assert.equal(drifted.tone, "warn");
  assert.deepEqual(byUrgency([healthOf(row("0")), drifted]).map(it => it.policy), ["a", "0"]);
  const [decision, ...others] = decisionsOf([drifted], []);
  assert.equal(decision?.what, "drift");
  assert.match(decision?.text ?? "", /^2 splits fell below k\. Readers/);
  assert.deepEqual(others, []);
});

test("the worst come first", () => {
  const all = [row("d"), row("c", failed), row("b", unbuilt), row("a", withdrawn)].map(healthOf);
  assert.deepEqual(byUrgency(all).map(it => it.policy), ["a", "b", "c", "d"]);
});

test("nothing wants a decision where all is well", () => {
  const tables = [
    table("public.a", {state: "protected", looks: "persons"}),
    table("public.towns", {state: "open"}),
  ];
  assert.deepEqual(decisionsOf([healthOf(row("a"))], [{database: "demo", tables}]), []);
});

test("each thing that wants a decision says what to do, the most pressing first", () => {
  const rows = [row("fine"), row("late", failed), row("new", unbuilt), row("shut", withdrawn)];
  const tables = [
    table("public.clients", {state: "open", looks: "persons", reason: "it has a name"}),
    table("public.orders", {looks: "events"}),
  ];
  const all = decisionsOf(rows.map(healthOf), [{database: "demo", tables}]);
  assert.deepEqual(
    all.map(it => it.what), ["closed", "unprotected", "build failed", "not built", "not offered"]);
  assert.equal(all[1]?.link, "#/protect/demo/public.clients");
  assert.match(all[0]?.text ?? "", /^Withdrawn: a cohort fell below k; build needed\. Nobody can/);
  assert.match(all[2]?.text ?? "", /No memory\. The version before is still in force\./);
});

test("many tables that nobody reads are one line", () => {
  const tables = Array.from({length: 2000}, (_, at) => table(`public.t${at}`, {looks: "persons"}));
  const all = decisionsOf([], [{database: "demo", tables}]);
  assert.equal(all.length, 1);
  assert.match(all[0]?.text ?? "", /public\.t0, public\.t1, public\.t2 and 1.997 others/);
});

test("tables are counted by what protects them", () => {
  const tables = [
    table("a", {state: "protected", looks: "persons"}),
    table("b", {state: "open", looks: "events"}),
    table("c", {state: "open", looks: "reference"}),
    table("d", {state: "closed"}),
    table("e"),
  ];
  const databases = [{database: "x", tables: tables.slice(0, 2)}, {database: "y", tables: tables.slice(2)}];
  assert.deepEqual(countsOf(databases),
    {all: 5, protected: 1, open: 2, closed: 1, unlisted: 1, exposed: 1});
});
