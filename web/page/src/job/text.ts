// The form as the text that pgveil reads (docs/anonymize.md), and the files that go with it.
import type {JobText} from "../page-jobs-api.js";
import {mondrianYaml} from "./cuts.js";
import {epsilonAndDeltaYaml, kSteps} from "./differential-privacy.js";
import {
  generalizationOf,
  kMondrian,
  type Attribute,
  type Generalization,
  type Hierarchy,
  type JobForm,
} from "./form.js";
import {hierarchyFile} from "./levels.js";
import {modelsYaml} from "./models.js";
import {resultNameOf} from "./names.js";
import {separatorWord, type Separator} from "./separated.js";

/** As YAML reads it back, whatever is in it. */
export const quoted = (text: string) =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

export const numbers = (text: string) => text.split(/[,;\s]+/).filter(it => it !== "");

const tableName = (at: number) => `levels_${at + 1}.csv`;

/** No value has as many characters, so that all of them are masked at once. */
const kLongestValue = 1_000_000;

/** usual: what is taken unless a separator is named. */
function fileYaml(name: string, separator: Separator, usual: Separator, more: string[] = []): string {
  const own = separator === usual ? [] : [`separator: ${quoted(separatorWord(separator))}`];
  return `{${[`file: ${quoted(name)}`, ...own, ...more].join(", ")}}`;
}

function hierarchyYaml(hierarchy: Hierarchy, at: number): string {
  switch (hierarchy.kind) {
    case "intervals":
      return `{intervals: {widths: [${numbers(hierarchy.widths).join(", ")}]}}`;
    case "masking":
      return "{masking: {}}";
    case "hide":
      return `{masking: {masked: [${kLongestValue}]}}`;
    case "dates":
      return `{dates: [${kSteps.filter(it => hierarchy.steps.includes(it)).join(", ")}]}`;
    case "table":
      return `{file: ${quoted(tableName(at))}}`;
    case "file":
      return fileYaml(hierarchy.upload?.name ?? "", hierarchy.upload?.separator ?? ";", ";");
  }
}

/** Of one level: pgveil reads no other hierarchy with differential privacy. */
function fixedYaml(hierarchy: Hierarchy, at: number): string[] {
  const {kind, fixed} = hierarchy;
  const made = (own: string, level: number) => [
    `hierarchy: ${own}`,
    `min_level: ${level}`,
    `max_level: ${level}`,
  ];
  switch (kind) {
    case "intervals":
      return made(`{intervals: {widths: [${fixed.width}]}}`, 1);
    case "dates":
      return made(`{dates: [${fixed.step}]}`, 1);
    case "table":
      return made(hierarchyYaml(hierarchy, at), 0);
    case "file":
      return made(hierarchyYaml(hierarchy, at), fixed.level);
    case "masking":
    case "hide":
      return [`hierarchy: ${hierarchyYaml(hierarchy, at)}`];
  }
}

function quasiIdentifierYaml({hierarchy}: Attribute, at: number, generalization: Generalization): string[] {
  switch (generalization) {
    case "searched":
      return [`hierarchy: ${hierarchyYaml(hierarchy, at)}`];
    case "grouped":
      return [hierarchy.kind === "intervals" ? "numeric: true" : `hierarchy: ${hierarchyYaml(hierarchy, at)}`];
    case "fixed":
      return fixedYaml(hierarchy, at);
  }
}

function attributeYaml(attribute: Attribute, at: number, generalization: Generalization): string {
  const parts = [`class: ${attribute.class}`];
  if (attribute.class === "quasi_identifier") parts.push(...quasiIdentifierYaml(attribute, at, generalization));
  if (attribute.class === "sensitive") parts.push(...modelsYaml(attribute));
  return `  ${quoted(attribute.name)}: {${parts.join(", ")}}`;
}

function inputYaml(form: JobForm): string {
  const empty = form.nullText === null ? [] : [`"null": ${quoted(form.nullText)}`];
  if (!form.table) return fileYaml(form.file?.name ?? "", form.file?.separator ?? ",", ",", empty);
  const {name, database} = form.table;
  return `{${[`table: ${quoted(name)}`, `database: ${quoted(database)}`, ...empty].join(", ")}}`;
}

function outputYaml(form: JobForm): string {
  const table = form.target === ""
    ? []
    : [`table: ${quoted(form.target)}`, `database: ${quoted(form.targetDatabase)}`];
  return fileYaml(resultNameOf(form.name), form.file?.separator ?? ",", ",", table);
}

function goalYaml(form: JobForm, generalization: Generalization): string[] {
  switch (generalization) {
    case "searched":
      return [
        `k: ${form.k}`,
        `suppression: ${form.suppression}%`,
        ...(form.localRecoding > 0 ? [`local_recoding: ${form.localRecoding}`] : []),
        `metric: ${form.metric}`,
        `suppressed_records: ${form.suppressedRecords}`,
      ];
    case "grouped":
      return [`k: ${form.k}`];
    case "fixed":
      return [epsilonAndDeltaYaml(form)];
  }
}

export function yamlOf(form: JobForm): string {
  const generalization = generalizationOf(form);
  const limits = form.algorithm === kMondrian
    ? `{threads: ${form.threads}}`
    : `{time: ${form.seconds}s, threads: ${form.threads}}`;
  return [
    "version: 1",
    `name: ${quoted(form.name)}`,
    `input: ${inputYaml(form)}`,
    "attributes:",
    ...form.attributes.map((it, at) => attributeYaml(it, at, generalization)),
    ...goalYaml(form, generalization),
    `algorithm: ${form.algorithm}`,
    ...(form.algorithm === kMondrian ? mondrianYaml(form.mondrian) : []),
    `limits: ${limits}`,
    `output: ${outputYaml(form)}`,
    "",
  ].join("\n");
}

/** With the files that the text names. Tables' uploads come from whoever uploads them, by name. */
export function jobText(form: JobForm, tables: Record<string, string>): JobText {
  const files: Record<string, string> = {...tables};
  if (form.file) files[form.file.name] = form.file.id;
  for (const {class: own, hierarchy} of form.attributes)
    if (own === "quasi_identifier" && hierarchy.kind === "file" && hierarchy.upload)
      files[hierarchy.upload.name] = hierarchy.upload.id;
  return {yaml: yamlOf(form), files};
}

/** The tables that have to be uploaded, by the names that the text gives them. */
export function tablesOf(form: JobForm): Record<string, string> {
  const tables: Record<string, string> = {};
  form.attributes.forEach((it, at) => {
    if (it.class === "quasi_identifier" && it.hierarchy.kind === "table")
      tables[tableName(at)] = hierarchyFile(
        generalizationOf(form) === "fixed" ? it.hierarchy.rows.map(row => row.slice(0, 1)) : it.hierarchy.rows,
      );
  });
  return tables;
}
