import assert from "node:assert/strict";
import {test} from "node:test";
import {linkTo, routeOf} from "../src/route.js";

test("a link to a policy leads to it, whatever its name", () => {
  for (const policy of ["people_k2", "a/b", "ä %", "#"])
    assert.deepEqual(routeOf(linkTo(policy)), {page: "policy", policy});
});

test("what is unknown leads to the policies", () => {
  for (const hash of ["", "#", "#/nowhere", "#/policies/%E0%A4%A", "#/design/x", "#/policies/a/b"])
    assert.deepEqual(routeOf(hash), {page: "policies"});
});

test("each page has its address", () => {
  for (const page of ["design", "query", "operations", "jobs"] as const)
    assert.deepEqual(routeOf(`#/${page}`), {page});
});
