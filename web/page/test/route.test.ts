import assert from "node:assert/strict";
import {test} from "node:test";
import {linkTo, linkToAudit, linkToComparison, linkToProtect, linkToRun, routeOf} from "../src/route.js";

test("a link to a policy leads to it, whatever its name", () => {
  for (const policy of ["people_k2", "a/b", "ä %", "#"])
    assert.deepEqual(routeOf(linkTo(policy)), {page: "policy", policy});
});

test("links to runs lead to them", () => {
  assert.deepEqual(routeOf(linkToRun("page-1")), {page: "run", run: "page-1"});
  assert.deepEqual(routeOf(linkToComparison("page-1", "page-2")), {
    page: "compare",
    left: "page-1",
    right: "page-2",
  });
});

test("a link to a table that is to be protected leads to it", () => {
  const at = {database: "de/mo", table: 'public."a b"'};
  assert.deepEqual(routeOf(linkToProtect(at.database, at.table)), {page: "protect", at});
  assert.deepEqual(routeOf("#/protect"), {page: "protect", at: null});
});

test("what is unknown leads home", () => {
  for (const hash of [
    "",
    "#",
    "#/nowhere",
    "#/policies/%E0%A4%A",
    "#/design/x",
    "#/policies/a/b",
    "#/runs",
    "#/runs/",
    "#/compare/a",
    "#/protect/demo",
    "#/compare/a/b/c",
    "#/policies/",
  ])
    assert.deepEqual(routeOf(hash), {page: "home"});
});

test("each page has its address", () => {
  for (const page of
    ["home", "policies", "design", "query", "operations", "jobs", "audit", "new-job"] as const)
    assert.deepEqual(routeOf(`#/${page}`), {page});
});

test("a link to the audit log brings a filter, and only a known one", () => {
  assert.deepEqual(routeOf(linkToAudit("reason", "relation_not_listed")), {
    page: "audit",
    filter: {key: "reason", value: "relation_not_listed"},
  });
  assert.deepEqual(routeOf("#/audit/toString/x"), {page: "audit"});
});
