import assert from "node:assert/strict";
import {test} from "node:test";
import {kUsualCuts, mondrianYaml, withCuts} from "../src/job/cuts.js";
import {kNewForm, type JobForm} from "../src/job/form.js";
import {formMistake} from "../src/job/mistakes.js";
import {kNoModels, modelsMistake, modelsYaml, notOfGroups, type Models} from "../src/job/models.js";
import {attributeOf} from "../src/job/suggestions.js";
import {yamlOf} from "../src/job/text.js";

const models = (more: Partial<Models>): Models => ({...kNoModels, ...more});

const form = (own: Partial<Models>, more: Partial<JobForm> = {}): JobForm => {
  const column = {empty: 0, kind: "text" as const, hints: [], distinct: 2};
  return {
    ...kNewForm,
    file: {id: "u1", name: "people.csv", separator: ","},
    attributes: [
      {...attributeOf({...column, name: "town", values: ["a", "b"]}, 100, ""), class: "quasi_identifier"},
      {...attributeOf({...column, name: "illness", values: null}, 100, ""), class: "sensitive", ...own},
    ],
    ...more,
  };
};

test("what is not asked for is not in the text", () => {
  assert.deepEqual(modelsYaml(kNoModels), []);
  assert.match(yamlOf(form({})), /"illness": \{class: sensitive\}/);
  assert.deepEqual(
    modelsYaml(models({distance: "ordered", likeness: "basic"})),
    [],
    "a choice that nothing uses",
  );
});

test("each model has its key, as docs/anonymize.md has it", () => {
  assert.deepEqual(modelsYaml(models({l: "3", entropy: "2.5", recursiveC: "4", recursiveL: "3"})),
                   ["l_diversity: {distinct: 3, entropy: 2.5, recursive: {c: 4, l: 3}}"]);
  assert.deepEqual(modelsYaml(models({t: "0.2"})), ["t_closeness: {t: 0.2}"]);
  assert.deepEqual(modelsYaml(models({t: "0.2", distance: "ordered"})), [
    "t_closeness: {t: 0.2, distance: ordered}",
    "order: number",
  ]);
  assert.deepEqual(modelsYaml(models({beta: "1"})), ["beta_likeness: {beta: 1}"]);
  assert.deepEqual(modelsYaml(models({beta: "1.5", likeness: "basic", delta: "2"})), [
    "beta_likeness: {beta: 1.5, kind: basic}",
    "delta_disclosure: 2",
  ]);
  assert.match(
    yamlOf(form({entropy: "2", delta: "1"})),
    /"illness": \{class: sensitive, l_diversity: \{entropy: 2\}, delta_disclosure: 1\}/,
  );
});

test("models are of sensitive columns alone", () => {
  const made = form({beta: "1"});
  made.attributes[1] = {...made.attributes[1]!, class: "insensitive"};
  assert.match(yamlOf(made), /"illness": \{class: insensitive\}/);
  assert.equal(formMistake({...made, algorithm: "mondrian"}), null);
});

test("only numbers that pgveil would take go into a text", () => {
  const right: Partial<Models>[] = [
    {},
    {l: "1"},
    {l: "2.5"},
    {t: "0"},
    {t: "1"},
    {entropy: "1.1"},
    {recursiveC: "0.5", recursiveL: "1"},
    {beta: "0.01"},
    {delta: "3"},
  ];
  for (const it of right) assert.equal(modelsMistake(models(it)), null, JSON.stringify(it));
  const wrong: [Partial<Models>, RegExp][] = [
    [{l: "0"}, /^l is/],
    [{l: "0.9"}, /^l is/],
    [{l: "2000000000"}, /^l is/],
    [{t: "1.01"}, /^t is/],
    [{t: "-0.1"}, /^t is/],
    [{t: "0.1}, k: 1"}, /^t is/],
    [{entropy: "0"}, /^entropy/],
    [{recursiveC: "0", recursiveL: "2"}, /^c of/],
    [{recursiveC: "2", recursiveL: "1.5"}, /^l of/],
    [{recursiveC: "2"}, /both/],
    [{recursiveL: "2"}, /both/],
    [{beta: "0"}, /^beta/],
    [{beta: "1e3"}, /^beta/],
    [{delta: "0"}, /^delta/],
  ];
  for (const [it, words] of wrong) assert.match(modelsMistake(models(it)) ?? "", words, JSON.stringify(it));
  assert.match(formMistake(form({beta: "much"})) ?? "", /^illness: beta is a number/);
});

test("groups keep all models but delta-disclosure, which is refused by name", () => {
  assert.deepEqual(notOfGroups(models({l: "2", entropy: "2", t: "0.2", recursiveC: "2", beta: "1"})), []);
  for (const algorithm of ["mondrian", "least_loss"]) {
    assert.equal(formMistake(form({l: "2", t: "0.2", beta: "1"}, {algorithm})), null);
    assert.match(
      formMistake(form({delta: "1"}, {algorithm})) ?? "",
      /^illness: an algorithm that makes groups can't keep delta-disclosure\. /,
    );
  }
  assert.equal(formMistake(form({delta: "1"})), null);
});

test("least_loss has no levels to search, and a limit of time", () => {
  const text = yamlOf(form({}, {algorithm: "least_loss", localRecoding: 10}));
  assert.match(text, /^algorithm: least_loss\nlimits: \{time: \d+s, threads: \d+\}$/m);
  assert.doesNotMatch(text, /suppress|metric|local_recoding|mondrian/);
});

test("how groups are cut is in the text where it is not as usual, and of mondrian alone", () => {
  assert.deepEqual(mondrianYaml(kUsualCuts), []);
  assert.deepEqual(mondrianYaml({cutBy: "entropy", cuts: "relaxed", ranges: "region"}), [
    "mondrian: {cut_by: entropy, cuts: relaxed, ranges: region}",
  ]);
  const mondrian = {...kUsualCuts, cuts: "relaxed" as const};
  assert.match(
    yamlOf(form({}, {algorithm: "mondrian", mondrian})),
    /^algorithm: mondrian\nmondrian: \{cuts: relaxed\}$/m,
  );
  assert.doesNotMatch(yamlOf(form({}, {mondrian})), /mondrian/);
});

test("drawn cuts are what a job resists attacks with, and groups show their regions", () => {
  const drawn = withCuts({...kUsualCuts, cutBy: "entropy", ranges: "sets"}, "drawn");
  assert.equal(drawn.ranges, "region_sets");
  assert.deepEqual(mondrianYaml(drawn), ["resist: [downcoding, minimality, refinement]"]);
  assert.deepEqual(mondrianYaml({...drawn, ranges: "region"}), [
    "resist: [downcoding, minimality, refinement]",
    "mondrian: {ranges: region}",
  ]);
  assert.deepEqual(mondrianYaml(withCuts(drawn, "strict")), ["mondrian: {cut_by: entropy}"]);
  assert.equal(withCuts({...kUsualCuts, ranges: "region"}, "relaxed").ranges, "region");
});

test("further transformations are for searches, and not beside delta-disclosure", () => {
  assert.match(yamlOf(form({}, {localRecoding: 10})), /^local_recoding: 10$/m);
  for (const other of [form({}), form({}, {localRecoding: 10, algorithm: "mondrian"})])
    assert.doesNotMatch(yamlOf(other), /local_recoding/);
  assert.match(formMistake(form({delta: "2"}, {localRecoding: 1})) ?? "", /^illness: delta-disclosure/);
  assert.equal(formMistake(form({delta: "2"})), null);
  assert.equal(formMistake(form({t: "0.2"}, {localRecoding: 1})), null);
});
