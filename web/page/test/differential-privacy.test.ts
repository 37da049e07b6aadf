import assert from "node:assert/strict";
import {test} from "node:test";
import type {ColumnInfo} from "../src/page-jobs-api.js";
import {generalizationOf, kAlgorithms, kNewForm, type Attribute, type JobForm} from "../src/job/form.js";
import {formMistake} from "../src/job/mistakes.js";
import {attributeOf} from "../src/job/suggestions.js";
import {jobText, yamlOf} from "../src/job/text.js";

const attribute = (name: string, more: Partial<ColumnInfo>, own: Partial<Attribute> = {}): Attribute => ({
  ...attributeOf(
    {name, distinct: 3, empty: 0, kind: "text", values: ["a", "b", "c"], hints: [], ...more},
    100,
    "",
  ),
  class: "quasi_identifier",
  ...own,
});

const form = (change: (made: JobForm) => void = () => {}): JobForm => {
  const made: JobForm = structuredClone({
    ...kNewForm,
    file: {id: "u1", name: "people.csv", separator: ","},
    privacyModel: "differential_privacy" as const,
    attributes: [
      attribute("name", {}, {class: "identifier"}),
      attribute("age", {kind: "number", least: 20, greatest: 49, values: null}),
      attribute("born", {kind: "date", values: null}),
      attribute("town", {}),
    ],
  });
  made.attributes[1]!.hierarchy.fixed.width = "20";
  change(made);
  return made;
};

const fixed = (made: JobForm, at: number) => made.attributes[at]!.hierarchy.fixed;

test("the text has epsilon and delta, one level for each column, and nothing that pgveil would refuse", () => {
  const text = `version: 1
name: "my_job"
input: {file: "people.csv"}
attributes:
  "name": {class: identifier}
  "age": {class: quasi_identifier, hierarchy: {intervals: {widths: [20]}}, min_level: 1, max_level: 1}
  "born": {class: quasi_identifier, hierarchy: {dates: [year]}, min_level: 1, max_level: 1}
  "town": {class: quasi_identifier, hierarchy: {file: "levels_4.csv"}, min_level: 0, max_level: 0}
differential_privacy: {epsilon: 1, delta: 0.000001}
algorithm: flash
limits: {time: 60s, threads: 1}
output: {file: "my_job_anonymized.csv"}
`;
  assert.equal(formMistake(form()), null);
  assert.equal(yamlOf(form()), text);
  assert.equal(yamlOf(form(it => ((it.localRecoding = 5), (it.suppressedRecords = "keep")))), text);
});

test("a file's level is the one that was named", () => {
  const made = form((it) => {
    it.attributes[3]!.hierarchy = {
      ...it.attributes[3]!.hierarchy,
      kind: "file",
      upload: {id: "u2", name: "town.csv", separator: ";"},
    };
    fixed(it, 3).level = 2;
  });
  assert.equal(formMistake(made), null);
  assert.match(yamlOf(made), /hierarchy: \{file: "town.csv"\}, min_level: 2, max_level: 2\}/);
  assert.equal(jobText(made, {}).files["town.csv"], "u2");
});

test("no width is suggested by the values of the table", () => {
  for (const greatest of [49, 4900]) {
    const {fixed: level, widths} = attribute("age", {kind: "number", least: 0, greatest}).hierarchy;
    assert.notEqual(widths, "");
    assert.equal(level.width, "");
  }
  const made = form(it => (it.attributes[1]!.hierarchy.widths = "7"));
  assert.doesNotMatch(yamlOf(made), /widths: \[7\]/);
});

test("what pgveil would refuse is told in the form", () => {
  const told = (change: (made: JobForm) => void) => formMistake(form(change)) ?? "";
  for (const epsilon of ["", "0", "0.009", "10.1", "one", "1}, k: 1"])
    assert.match(told(it => (it.epsilon = epsilon)), /^Epsilon is a number from 0.01 to 10\.$/, epsilon);
  for (const delta of ["", "0", "0.02", "1e-16", "1/1000"])
    assert.match(told(it => (it.delta = delta)), /^Delta is a number from 1e-15 to 0.01\.$/, delta);
  for (const delta of ["0.01", "1e-15", "0.00001"]) assert.equal(told(it => (it.delta = delta)), "");
  for (const algorithm of kAlgorithms) {
    const isOfGroups = algorithm === "mondrian" || algorithm === "least_loss";
    const words = told(it => (it.algorithm = algorithm));
    assert.equal(/groups depend on the data/.test(words), isOfGroups, algorithm);
  }
  for (const own of ["sensitive", "insensitive"] as const)
    assert.match(told(it => (it.attributes[0]!.class = own)), /^name: .* as a quasi-identifier or not/);
  for (const kind of ["masking", "hide"] as const)
    assert.match(told(it => (it.attributes[3]!.hierarchy.kind = kind)), /^town: .* can't use masking/);
  for (const width of ["", "0", "5, 10", "-1", "5]}}, k: 1"])
    assert.match(told(it => (fixed(it, 1).width = width)), /^age: its intervals need one width/, width);
  assert.match(told(it => (it.attributes[3]!.hierarchy.kind = "file")), /^town: upload its hierarchy/);
  assert.match(told(it => (it.attributes[3]!.hierarchy.rows = [])), /^town has too many values/);
  assert.match(told(it => it.attributes.splice(1)), /^No column is a quasi-identifier/);
});

test("what was chosen for k comes back with it", () => {
  const back: JobForm = {...form(), privacyModel: "k_anonymity"};
  assert.equal(generalizationOf(form()), "fixed");
  assert.equal(generalizationOf(back), "searched");
  assert.doesNotMatch(yamlOf(back), /differential_privacy|min_level/);
  assert.match(yamlOf(back), /^k: 5\nsuppression: 5%$/m);
});
