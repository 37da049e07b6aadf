// The page as it is built: small enough, and nothing in it that its own policy forbids.
import assert from "node:assert/strict";
import {existsSync, readFileSync} from "node:fs";
import path from "node:path";
import {test} from "node:test";
import {gzipSync} from "node:zlib";

const kBudget = 300_000;
const dist = path.join(process.cwd(), "dist");
const isBuilt = existsSync(path.join(dist, "page.js"));

test("what a browser loads is at most 300 kB, compressed", {skip: isBuilt ? false : "not built"}, () => {
  const size = (file: string) => gzipSync(readFileSync(path.join(dist, file))).length;
  const all = ["index.html", "page.js", "page.css", "icon.svg"].reduce((sum, file) => sum + size(file), 0);
  assert.ok(all <= kBudget, `${all} bytes`);
});

test("the page has no script or style in its text", {skip: isBuilt ? false : "not built"}, () => {
  const html = readFileSync(path.join(dist, "index.html"), "utf8");
  assert.doesNotMatch(html, /<script>|<script type="module">[^<]|<style|style=|javascript:/);
  assert.doesNotMatch(readFileSync(path.join(dist, "page.css"), "utf8"), /url\(|@import/);
});
