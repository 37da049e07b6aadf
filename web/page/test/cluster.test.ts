import assert from "node:assert/strict";
import {test} from "node:test";
import {kMostPartsShown, partsOf, stepsOf, stepWords, taskWords, timesOf, timeWords} from "../src/cluster.js";
import {attributeOf} from "../src/job/suggestions.js";
import {kAlgorithms, kNewForm, type JobForm} from "../src/job/form.js";
import {formMistake} from "../src/job/mistakes.js";
import {
  algorithmChoice,
  algorithmChoices,
  kOnSpark,
  sparkCommand,
  sparkMistake,
  sparkOf,
  withAlgorithm,
} from "../src/job/spark.js";
import {jobText, yamlOf} from "../src/job/text.js";

const offer = {most_workers: 4};
const form = (more: Partial<JobForm> = {}): JobForm => ({
  ...kNewForm,
  ...withAlgorithm(kOnSpark),
  file: {id: "u1", name: "people.csv", separator: ","},
  attributes: [
    attributeOf(
      {name: "age", distinct: 3, empty: 0, kind: "number", values: null, hints: [], least: 1, greatest: 9},
      100,
      "",
    ),
  ],
  ...more,
});

test("the cluster is a choice of algorithm where there is one", () => {
  assert.deepEqual(algorithmChoices(kNewForm, null), kAlgorithms);
  assert.ok(algorithmChoices(kNewForm, offer).includes(kOnSpark));
  assert.equal(algorithmChoice(form()), kOnSpark);
  assert.ok(algorithmChoices(form(), null).includes(kOnSpark), "what is chosen can be seen");
  assert.deepEqual(withAlgorithm("mondrian"), {algorithm: "mondrian", isOnSpark: false});
  assert.equal(sparkOf(form({algorithm: "flash"})), null);
});

test("the text is that of mondrian, and the plan goes beside it", () => {
  const spark = {workers: 3, sample: 2.5, partition_by: "quantiles" as const};
  const job = jobText(form({spark}), {});
  assert.deepEqual(job.spark, spark);
  assert.equal(job.yaml, yamlOf(form({isOnSpark: false})));
  assert.match(job.yaml, /^algorithm: mondrian$/m);
  assert.doesNotMatch(job.yaml, /spark/);
  assert.equal("spark" in jobText(form({isOnSpark: false}), {}), false);
  assert.equal("spark" in jobText(form({algorithm: "flash"}), {}), false);
});

test("the same is said as a command", () => {
  assert.equal(sparkCommand({workers: 3, sample: 2.5, partition_by: "quantiles"}, "my_job.yaml"),
    "pgveil-spark --partitions 3 --partition-by quantiles --sample 2.5% my_job.yaml");
  assert.match(sparkCommand(kNewForm.spark, "it's; rm x.yaml"), / 'it'\\''s; rm x\.yaml'$/);
});

test("what a cluster can't do is told before the run", () => {
  assert.equal(formMistake(form(), offer), null);
  assert.match(formMistake(form(), null) ?? "", /no Spark cluster/);
  assert.equal(sparkMistake(kNewForm, null), null);
  const wrong = (change: Partial<JobForm["spark"]>) =>
    sparkMistake(form({spark: {...kNewForm.spark, ...change}}), offer) ?? "";
  for (const workers of [0, 5, 1.5, NaN]) assert.match(wrong({workers}), /from 1 to 4/);
  for (const sample of [0, -1, 100.5, NaN]) assert.match(wrong({sample}), /per cent/);
  assert.equal(wrong({workers: 4, sample: 100}), "");
  const attributes = [
    ...form().attributes,
    {...form().attributes[0]!, name: "pay", class: "sensitive" as const, t: "0.2"},
  ];
  assert.match(formMistake(form({attributes}), offer) ?? "", /pay: mondrian can't keep t/);
});

test("steps before the phase are done, and one is now", () => {
  assert.deepEqual(
    stepsOf({phase: "profile"}).map((it) => it.state),
    ["done", "done", "now", "to come", "to come", "to come", "to come", "to come"],
  );
  assert.ok(stepsOf({phase: null}).every(it => it.state === "to come"));
  assert.equal(stepWords({phase: "start"}), "Step 1 of 8: starting on the cluster.");
  assert.equal(stepWords({phase: null}), "");
  assert.equal(taskWords({tasks: 8, done: 3}), "3 of 8");
  assert.equal(taskWords({tasks: 0, done: 0}), "not known yet");
});

test("times are in the order of the phases, with what we do not know at the end", () => {
  assert.deepEqual(timesOf({phases_ms: {tidy_up: 1, check: 30, start: 10}}),
    [["starting on the cluster", 10], ["counting again what was written", 30], ["tidy up", 1]]);
});

test("short times are not nothing", () => {
  assert.deepEqual([1.6, 999, 1500, 137_000].map(timeWords), ["2 ms", "999 ms", "1.5 s", "137.0 s"]);
});

test("parts keep their numbers, the largest comes first, and not all of many are shown", () => {
  assert.deepEqual(partsOf({records_by_part: [5, 9, 5]}), [
    {part: 2, records: 9},
    {part: 1, records: 5},
    {part: 3, records: 5},
  ]);
  assert.equal(partsOf({records_by_part: Array.from({length: 500}, () => 1)}).length, kMostPartsShown);
});
