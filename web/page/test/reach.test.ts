import assert from "node:assert/strict";
import {test} from "node:test";
import {began, reachNow, whenReachChanges, type Reach} from "../src/reach.js";

test("a request that is lost is told, and the next answer ends it", () => {
  const told: Reach[] = [];
  const stop = whenReachChanges(it => told.push(it));
  began(true)("lost");
  began(true)("lost");
  began(true)("answered");
  stop();
  began(true)("lost");
  began(true)("answered");
  assert.deepEqual(told, ["lost", "fine"]);
});

test("only what should be quick is slow, and being given up is neither", () => {
  const real = globalThis.setTimeout;
  const due: (() => void)[] = [];
  globalThis.setTimeout = ((work: () => void) => due.push(work)) as unknown as typeof setTimeout;
  const long = began(false);
  const quick = began(true);
  globalThis.setTimeout = real;
  assert.equal(reachNow(), "fine");
  assert.equal(due.length, 1);
  due.forEach(work => work());
  assert.equal(reachNow(), "slow");
  quick("given up");
  assert.equal(reachNow(), "fine");
  long("answered");
  assert.equal(reachNow(), "fine");
});

test("a choice of a theme that is not known is the system's", async () => {
  const {themeOf} = await import("../src/ui/theme.js");
  assert.equal(themeOf("dark"), "dark");
  assert.equal(themeOf("pink"), "system");
  assert.equal(themeOf(null), "system");
});
