import assert from "node:assert/strict";
import {test} from "node:test";
import {looksLikeCodes, uniqueShare} from "../src/job/estimate.js";
import {levelsByFrequency} from "../src/job/frequency.js";
import {columnOfFile, missingValues, tableAmong} from "../src/job/hierarchy-files.js";
import {tableMistake} from "../src/job/levels.js";
import {jobNameOf, kNewName, resultNameOf} from "../src/job/names.js";
import {recordsOf, sniffedSeparator} from "../src/job/separated.js";

test("records are read as RFC 4180 writes them", () => {
  assert.deepEqual(recordsOf('\ufeffa,b\r\n"x, ""y""",\n1,"two\nlines"\n', ",", 10), [
    ["a", "b"],
    ['x, "y"', ""],
    ["1", "two\nlines"],
  ]);
  assert.deepEqual(recordsOf("a;b", ";", 10), [["a", "b"]]);
  assert.deepEqual(recordsOf("a,b\n1,2\n3,", ",", 10, true), [["a", "b"], ["1", "2"]], "the rest is cut");
  assert.deepEqual(recordsOf("a\nb\nc\n", ",", 2), [["a"], ["b"]]);
  assert.deepEqual(recordsOf("", ",", 10), []);
});

test("the separator is found, whatever else stands in the cells", () => {
  const cases: [string, string][] = [
    ["a,b,c\n1,2,3\n", ","],
    ["a;b;c\n1,5;2,5;x\n2,5;3;y\n", ";"],
    ["name\tnote\nAnn\tone, two; three\nBob\tfour\n", "\t"],
    ["a|b\n1|2\n", "|"],
    ['name,note\n"Ann","x;y;z"\n"Bob","a;b"\n', ","],
    ['"a;b",c\n"1;2",3\n', ","],
    ["one\ntwo\n", ","],
    ["", ","],
  ];
  for (const [text, separator] of cases) assert.equal(sniffedSeparator(text), separator, text);
  assert.equal(sniffedSeparator("a;b;c\n1;2;3\n4;5", true), ";");
});

test("hierarchy files find their columns by their names", () => {
  const columns = ["age", "marital-status", "native-country", "country", "status"];
  assert.equal(columnOfFile("adult_hierarchy_age.csv", columns), "age");
  assert.equal(columnOfFile("adult_hierarchy_marital-status.csv", columns), "marital-status");
  assert.equal(columnOfFile("Native Country.csv", columns), "native-country", "the longest name counts");
  assert.equal(columnOfFile("country.csv", columns), "country");
  assert.equal(columnOfFile("page.csv", columns), null, "a part of a word is no name");
  assert.equal(columnOfFile("adult_hierarchy_race.csv", columns), null);
  assert.equal(columnOfFile("age_zip.csv", ["age", "zip"]), "zip", "the last one, if two fit equally well");
  assert.equal(columnOfFile("Größe.csv", ["größe"]), "größe");
});

test("of files that come together, the table is the largest that is no hierarchy", () => {
  const file = (name: string, size: number) => ({name, size});
  const files = [file("adult_hierarchy_age.csv", 9000), file("adult.csv", 500), file("notes.csv", 20)];
  assert.equal(tableAmong(files).table?.name, "adult.csv");
  assert.deepEqual(tableAmong(files).others.map(it => it.name), ["adult_hierarchy_age.csv", "notes.csv"]);
  assert.equal(tableAmong(files.slice(0, 1)).table, null);
});

test("values that a hierarchy lacks are named before a job fails because of them", () => {
  assert.deepEqual(missingValues([["a", "*"], ["b", "*"]], ["a", "b", "c"]), ["c"]);
  assert.deepEqual(missingValues([], null), []);
});

test("rare values are joined first, and what was joined stays joined", () => {
  const rows = levelsByFrequency(["a", "b", "c", "d", "e"], [50, 30, 16, 2, 2]);
  assert.deepEqual(rows, [
    ["a", "a", "a", "*"],
    ["b", "b", "b", "*"],
    ["c", "c", "other", "*"],
    ["d", "other", "other", "*"],
    ["e", "other", "other", "*"],
  ]);
  assert.equal(tableMistake(rows), null);
  assert.deepEqual(levelsByFrequency(["a", "b"], [1, 1]), [["a", "*"], ["b", "*"]]);
  assert.equal(levelsByFrequency(["other", "x", "y"], [98, 1, 1])[1]![1], "(other)");
});

test("names follow from what was brought", () => {
  assert.equal(jobNameOf("Adult Data (2).csv"), "adult_data_2");
  assert.equal(jobNameOf("2024 survey.tsv"), "t_2024_survey");
  assert.equal(jobNameOf("größe.csv"), "gro_e");
  assert.equal(jobNameOf("表.csv"), kNewName);
  assert.equal(resultNameOf("adult"), "adult_anonymized.csv");
  assert.match(jobNameOf(`${"x".repeat(80)}.csv`), /^x{50}$/);
});

test("the share of unique records follows the columns", () => {
  const records = [["age", "town", "id"], ["1", "a", "x"], ["1", "a", "y"], ["2", "a", "z"], ["2", "b", "w"]];
  assert.equal(uniqueShare(records, ["age"]), 0);
  assert.equal(uniqueShare(records, ["age", "town"]), 0.5);
  assert.equal(uniqueShare(records, ["id"]), 1);
  assert.equal(uniqueShare(records, []), null);
  assert.equal(uniqueShare([["age"]], ["age"]), null);
});

test("codes have digits, words do not", () => {
  assert.equal(looksLikeCodes(["12345", "AB1 2CD", "99-1", "x1", "y2"]), true);
  assert.equal(looksLikeCodes(["Sales", "Tech-support"]), false);
  assert.equal(looksLikeCodes([]), false);
});
