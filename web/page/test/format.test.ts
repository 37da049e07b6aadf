import assert from "node:assert/strict";
import {test} from "node:test";
import {ago, bytes, count, counted, decimal, duration, percent, roughly} from "../src/ui/format.js";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

test("numbers are grouped by threes", () => {
  assert.equal(plain(count(50_010)), "50 010");
  assert.equal(plain(count(1_234_567)), "1 234 567");
  assert.equal(count(999), "999");
  assert.equal(count(NaN), "–");
});

test("shares are percent with one decimal", () => {
  assert.equal(plain(percent(0.623)), "62.3 %");
  assert.equal(plain(percent(1)), "100.0 %");
  assert.equal(percent(0 / 0), "–");
});

test("decimals have four significant digits", () => {
  assert.equal(decimal(0.2530833378349493), "0.2531");
  assert.equal(decimal(2), "2");
  assert.equal(plain(decimal(12_345.6)), "12 346");
  assert.equal(decimal(Infinity), "–");
});

test("durations have the unit that fits", () => {
  const told: [number, string][] = [
    [0, "0 ms"],
    [0.25, "250 µs"],
    [12.34, "12.3 ms"],
    [999.4, "999 ms"],
    [999.9, "1 s"],
    [59_940, "59.9 s"],
    [59_990, "1 min"],
    [61_000, "1 min 1 s"],
    [3_600_000, "1 h"],
    [3_599_900, "1 h"],
    [86_400_000 * 2 + 3_600_000, "2 d 1 h"],
  ];
  for (const [amount, expected] of told) assert.equal(plain(duration(amount)), expected, String(amount));
});

test("shares that are estimates have two digits, or say that they are small", () => {
  assert.equal(plain(roughly(0)), "0 %");
  assert.equal(plain(roughly(0.0004)), "less than 0.1 %");
  assert.equal(plain(roughly(0.0314)), "3.1 %");
  assert.equal(plain(roughly(0.123)), "12 %");
});

test("sizes are powers of 1024", () => {
  assert.equal(plain(bytes(512)), "512 B");
  assert.equal(plain(bytes(1536)), "1.5 KiB");
  assert.equal(plain(bytes(64 * 1024 ** 2)), "64 MiB");
});

test("ages are told in words, and clocks that differ make no negative ones", () => {
  assert.equal(ago(0, 7_200_000), "2 hours ago");
  assert.equal(ago(0, 60_000), "1 minute ago");
  assert.equal(ago(60_000, 0), "just now");
});

test("what is counted has the right number", () => {
  assert.equal(counted(1, "policy", "policies"), "one policy");
  assert.equal(counted(2, "policy", "policies"), "2 policies");
  assert.equal(counted(0, "table"), "0 tables");
});
