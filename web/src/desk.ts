// A job as a form: what is suggested for a column, and the form as the text that pgveil reads (docs/anonymize.md).
import type {TableColumn} from "./api.js";
import type {ColumnInfo, JobText} from "./desk-api.js";

export const kClasses = ["identifier", "quasi_identifier", "sensitive", "insensitive"] as const;
export type Class = (typeof kClasses)[number];

export const kHierarchies = ["intervals", "masking", "dates", "table", "file"] as const;
export type HierarchyKind = (typeof kHierarchies)[number];

export const kSteps = ["day", "month", "quarter", "year", "decade"] as const;

export interface Hierarchy {
  kind: HierarchyKind;
  /** "5, 10, 20": of intervals. */
  widths: string;
  steps: string[];
  /** Of a table: each value with its levels above it. */
  rows: string[][];
  /** Of a file: what was uploaded. */
  upload: {id: string; name: string} | null;
}

export interface Attribute {
  name: string;
  class: Class;
  hierarchy: Hierarchy;
  /** Of sensitive ones; empty: not asked for. */
  l: string;
  t: string;
}

export interface JobForm {
  name: string;
  file: {id: string; name: string; separator: string} | null;
  /** In place of a file, for whom the configuration lists; name: "schema.table". */
  table: {database: string; name: string} | null;
  /** A table to publish to, beside the file: "schema.table"; empty: none. */
  target: string;
  /** Where that is. */
  targetDatabase: string;
  hasEmpty: boolean;
  attributes: Attribute[];
  k: number;
  /** In per cent. */
  suppression: number;
  metric: string;
  algorithm: string;
  seconds: number;
  threads: number;
  outliers: string;
}

export const kMetrics = ["loss", "discernibility", "discernibility_monotonic", "class_size", "nonuniform_entropy",
  "nonuniform_entropy_monotonic", "normalized_nonuniform_entropy", "precision", "precision_monotonic", "height", "kl_divergence",
  "ambiguity"];
export const kAlgorithms = ["flash", "best_first", "ola", "incognito", "depth_first", "breadth_first", "brute_force", "beam",
  "igreedy", "datafly", "samarati", "mondrian"];
export const kOutliers = ["drop", "hide", "as_reference"];

export const kNewForm: JobForm = {
  name: "my_job", file: null, table: null, target: "", targetDatabase: "", hasEmpty: false, attributes: [], k: 5, suppression: 5, metric: "loss", algorithm: "flash",
  seconds: 60, threads: 1, outliers: "drop",
};

const kIdentifyingRows = 20;

/** Nothing that was not looked at is published: what might point at a person is hidden, or generalized. */
export function suggestedClass(column: ColumnInfo, rows: number): Class {
  const isGeneral = column.hints.every(it => /^a (date|place) /.test(it));
  if (!isGeneral || (column.distinct === rows && rows >= kIdentifyingRows)) return "identifier";
  return "quasi_identifier";
}

/** Widths of intervals that divide the range into about twenty, four and two parts. */
export function suggestedWidths(least: number, greatest: number): string {
  const wanted = Math.max(greatest - least, 1e-9) / 20;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const base = Number(([1, 2, 5, 10].find(it => it * power >= wanted) ?? 10) * power);
  return [base, base * 5, base * 10].map(it => String(Number(it.toPrecision(6)))).join(", ");
}

const kTableValues = 20;

export function suggestedHierarchy(column: ColumnInfo): Hierarchy {
  const values = column.empty > 0 ? ["", ...(column.values ?? [])] : column.values ?? [];
  const plan: Hierarchy = {
    kind: "masking", widths: "10, 50, 100", steps: ["month", "year"], rows: values.map(it => [it, "*"]), upload: null,
  };
  if (column.kind === "number") {
    plan.kind = "intervals";
    plan.widths = suggestedWidths(column.least ?? 0, column.greatest ?? 100);
  } else if (column.kind === "date") {
    plan.kind = "dates";
  } else if (column.values !== null && values.length <= kTableValues) {
    plan.kind = "table";
  }
  return plan;
}

export function attributeOf(column: ColumnInfo, rows: number): Attribute {
  return {name: column.name, class: suggestedClass(column, rows), hierarchy: suggestedHierarchy(column), l: "", t: ""};
}

/** As of an upload, without its values: what names a row counts as hinted at. */
export function columnOfTable(column: TableColumn): ColumnInfo {
  const isOfRows = column.key || column.unique || column.nearly_unique;
  return {
    name: column.name, distinct: column.distinct ?? 0, empty: 0, kind: column.kind, values: null, type: column.type,
    hints: isOfRows ? ["what names a row", ...column.hints] : column.hints,
  };
}

// ---- tables of values and levels

export const levelsOf = (rows: string[][]) => Math.max(0, (rows[0]?.length ?? 1) - 1);

export const withLevel = (rows: string[][]) => rows.map(row => [...row.slice(0, -1), row[row.length - 2] ?? "", row[row.length - 1] ?? "*"]);

export const withoutLevel = (rows: string[][], level: number) => rows.map(row => row.filter((_, at) => at !== level));

export function withCell(rows: string[][], row: number, level: number, text: string): string[][] {
  return rows.map((cells, at) => (at === row ? cells.map((cell, other) => (other === level ? text : cell)) : cells));
}

const cell = (text: string) => (/[;"\r\n]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text);

/** The file of a hierarchy: one record for each value. */
export const hierarchyFile = (rows: string[][]) => rows.map(row => `${row.map(cell).join(";")}\n`).join("");

/** What is wrong with a table: two values of one level that part again above it; null: nothing. */
export function tableMistake(rows: string[][]): string | null {
  for (let level = 1; level < levelsOf(rows); level++) {
    const above = new Map<string, string>();
    for (const row of rows) {
      const here = row[level] ?? "";
      const next = row[level + 1] ?? "";
      const known = above.get(here);
      if (known !== undefined && known !== next) return `"${here}" of level ${level} is both "${known}" and "${next}" at level ${level + 1}`;
      above.set(here, next);
    }
  }
  return null;
}

// ---- the text

/** As YAML reads it back, whatever is in it. */
export const quoted = (text: string) => JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, it => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`);

const numbers = (text: string) => text.split(/[,;\s]+/).filter(it => it !== "");

export const tableName = (at: number) => `levels_${at + 1}.csv`;

function hierarchyYaml(hierarchy: Hierarchy, at: number): string {
  switch (hierarchy.kind) {
    case "intervals":
      return `{intervals: {widths: [${numbers(hierarchy.widths).join(", ")}]}}`;
    case "masking":
      return "{masking: {}}";
    case "dates":
      return `{dates: [${kSteps.filter(it => hierarchy.steps.includes(it)).join(", ")}]}`;
    case "table":
      return `{file: ${quoted(tableName(at))}}`;
    case "file":
      return `{file: ${quoted(hierarchy.upload?.name ?? "")}}`;
  }
}

function attributeYaml(attribute: Attribute, at: number, isMondrian: boolean): string {
  const parts = [`class: ${attribute.class}`];
  if (attribute.class === "quasi_identifier") {
    const isNumeric = isMondrian && attribute.hierarchy.kind === "intervals";
    parts.push(isNumeric ? "numeric: true" : `hierarchy: ${hierarchyYaml(attribute.hierarchy, at)}`);
  }
  if (attribute.class === "sensitive" && attribute.l !== "") parts.push(`l_diversity: {distinct: ${attribute.l}}`);
  if (attribute.class === "sensitive" && attribute.t !== "") parts.push(`t_closeness: {t: ${attribute.t}}`);
  return `  ${quoted(attribute.name)}: {${parts.join(", ")}}`;
}

function inputYaml(form: JobForm): string {
  if (form.table) return `{table: ${quoted(form.table.name)}, database: ${quoted(form.table.database)}}`;
  const separator = form.file && form.file.separator !== "," ? `, separator: ${quoted(form.file.separator)}` : "";
  return `{file: ${quoted(form.file?.name ?? "")}${separator}${form.hasEmpty ? ', "null": ""' : ""}}`;
}

function outputYaml(form: JobForm): string {
  if (form.target === "") return "{file: result.csv}";
  return `{file: result.csv, table: ${quoted(form.target)}, database: ${quoted(form.targetDatabase)}}`;
}

export function yamlOf(form: JobForm): string {
  const isMondrian = form.algorithm === "mondrian";
  const search = isMondrian ? [] : [
    `suppression: ${form.suppression}%`,
    `metric: ${form.metric}`,
    `outliers: ${form.outliers}`,
  ];
  const limits = isMondrian ? `{threads: ${form.threads}}` : `{time: ${form.seconds}s, threads: ${form.threads}}`;
  return [
    "version: 1",
    `name: ${quoted(form.name)}`,
    `input: ${inputYaml(form)}`,
    "attributes:",
    ...form.attributes.map((it, at) => attributeYaml(it, at, isMondrian)),
    `k: ${form.k}`,
    ...search,
    `algorithm: ${form.algorithm}`,
    `limits: ${limits}`,
    `output: ${outputYaml(form)}`,
    "",
  ].join("\n");
}

/** The files that the text names. Tables' uploads come from whoever uploads them, by name. */
export function jobText(form: JobForm, tables: Record<string, string>): JobText {
  const files: Record<string, string> = {...tables};
  if (form.file) files[form.file.name] = form.file.id;
  for (const {class: own, hierarchy} of form.attributes)
    if (own === "quasi_identifier" && hierarchy.kind === "file" && hierarchy.upload) files[hierarchy.upload.name] = hierarchy.upload.id;
  return {yaml: yamlOf(form), files};
}

/** The tables that have to be uploaded, by the names that the text gives them. */
export function tablesOf(form: JobForm): Record<string, string> {
  const tables: Record<string, string> = {};
  form.attributes.forEach((it, at) => {
    if (it.class === "quasi_identifier" && it.hierarchy.kind === "table") tables[tableName(at)] = hierarchyFile(it.hierarchy.rows);
  });
  return tables;
}

const isNumber = (text: string) => /^\d+(\.\d+)?$/.test(text);

/** Of all files that the text will name. */
function namesOf(form: JobForm): string[] {
  const brought = form.attributes.flatMap(({class: own, hierarchy}) =>
    own === "quasi_identifier" && hierarchy.kind === "file" && hierarchy.upload ? [hierarchy.upload.name] : []);
  return [...(form.file ? [form.file.name] : []), ...brought, ...Object.keys(tablesOf(form))];
}

/** It reads or makes a table of a database, which needs the password again. */
export const usesTables = (form: JobForm) => form.table !== null || form.target !== "";

/** What can be told without asking pgveil; null: nothing. */
export function formMistake(form: JobForm): string | null {
  if (!form.file && !form.table) return "Upload a table first.";
  if (form.target !== "" && !/^[^.]+\.[^.]+$/.test(form.target)) return "The table to publish to is written schema.table.";
  const names = namesOf(form);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `Two files are called ${twice}: rename one, and upload it again.`;
  if (!form.attributes.some(it => it.class === "quasi_identifier"))
    return "No column is a quasi-identifier: without one there is nothing to generalize.";
  for (const {name, class: own, hierarchy, l, t} of form.attributes) {
    if (own === "sensitive" && ![l, t].every(it => it === "" || isNumber(it))) return `${name}: l and t are numbers.`;
    if (own !== "quasi_identifier") continue;
    if (hierarchy.kind === "intervals" && (numbers(hierarchy.widths).length === 0 || !numbers(hierarchy.widths).every(isNumber)))
      return `${name}: intervals need widths, numbers with commas between them.`;
    if (hierarchy.kind === "dates" && hierarchy.steps.length === 0) return `${name}: choose at least one step of dates.`;
    if (hierarchy.kind === "file" && !hierarchy.upload) return `${name}: upload its hierarchy, or choose another kind.`;
    if (hierarchy.kind === "table" && hierarchy.rows.length === 0) return `${name} has too many values for a table.`;
    const mistake = hierarchy.kind === "table" ? tableMistake(hierarchy.rows) : null;
    if (mistake) return `${name}: ${mistake}.`;
  }
  return null;
}

let draft: JobForm = kNewForm;
let columns: ColumnInfo[] = [];

/** What was filled in outlives a visit of another page. */
export const formDraft = {
  read: () => ({form: draft, columns}),
  write: (form: JobForm, of: ColumnInfo[]) => {
    draft = form;
    columns = of;
  },
};
