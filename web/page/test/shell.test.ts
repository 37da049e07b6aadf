import assert from "node:assert/strict";
import {test} from "node:test";
import {kNoKeys, press, type Keys, type Press} from "../src/shell/keys.js";
import {best, fit} from "../src/shell/match.js";
import {entriesFor, entryOf, groupsFor, mayOpen, windowTitle} from "../src/shell/menu.js";

const entries = entriesFor(true);
const plain = (key: string, at = 0): Press => ({key, hasControl: false, hasAlt: false, isTyping: false, at});

test("each page has a key of its own, and an admin sees all of them", () => {
  assert.equal(new Set(entries.map(it => it.key)).size, entries.length);
  assert.deepEqual(entriesFor(false).map(it => it.page), ["home", "policies", "jobs", "operations"]);
});

test("a group of which nothing may be opened is not shown", () => {
  for (const group of groupsFor(false)) assert.ok(group.entries.length > 0);
});

test("pages below an entry are for those who may open them", () => {
  assert.equal(mayOpen("run", false), false);
  assert.equal(mayOpen("protect", false), false);
  assert.equal(mayOpen("home", false), true);
  assert.equal(mayOpen("run", true), true);
});

test("a window is called after its page, with the page above it", () => {
  assert.equal(windowTitle({page: "home"}), "Home · pgveil");
  assert.equal(windowTitle({page: "policy", policy: "people_k2"}), "people_k2 · Policies · pgveil");
  assert.equal(windowTitle({page: "run", run: "page-1"}), "Run page-1 · Jobs · pgveil");
  assert.equal(entryOf({page: "compare", left: "a", right: "b"})?.page, "jobs");
});

test("g and the key of a page open it, if it comes soon", () => {
  const [waiting, nothing] = press(kNoKeys, plain("g", 100), entries, true);
  assert.equal(nothing.kind, "nothing");
  assert.deepEqual(press(waiting, plain("p", 900), entries, true)[1], {kind: "open", page: "policies"});
  assert.deepEqual(press(waiting, plain("p", 9000), entries, true)[1], {kind: "nothing"});
  assert.deepEqual(press(kNoKeys, plain("p"), entries, true)[1], {kind: "nothing"});
});

test("what is typed into a field is no shortcut, and single keys can be switched off", () => {
  const waiting: Keys = {since: 0};
  assert.equal(press(waiting, {...plain("p", 1), isTyping: true}, entries, true)[1].kind, "nothing");
  assert.equal(press(waiting, plain("p", 1), entries, false)[1].kind, "nothing");
  assert.equal(press(kNoKeys, plain("?"), entries, false)[1].kind, "nothing");
  assert.equal(press(kNoKeys, plain("?"), entries, true)[1].kind, "help");
});

test("Control K opens the palette from everywhere", () => {
  for (const key of ["k", "K"])
    assert.equal(
      press(kNoKeys, {...plain(key), hasControl: true, isTyping: true}, entries, false)[1].kind, "palette");
  const withAlt = {...plain("k"), hasControl: true, hasAlt: true};
  assert.equal(press(kNoKeys, withAlt, entries, true)[1].kind, "nothing");
});

test("a role that may not open a page has no key for it", () => {
  assert.equal(press({since: 0}, plain("a", 1), entriesFor(false), true)[1].kind, "nothing");
});

test("names fit the better the closer they are to what was typed", () => {
  const order = ["people", "people_k2", "public.people", "unpeopled", "pretty ember opal plain lie e"];
  const scores = order.map(it => fit("people", it));
  assert.deepEqual(scores, [...scores].sort((a, b) => b - a));
  assert.ok(scores.every(it => it > 0));
  assert.equal(fit("people", "staff"), 0);
  assert.equal(fit("", "anything"), 1);
});

test("the best come first, equals in their order, and no more than asked for", () => {
  assert.deepEqual(best("a", ["xa", "ab", "a", "ac"], it => it, 3), ["a", "ab", "ac"]);
  assert.deepEqual(best("zz", ["a"], it => it, 3), []);
});
