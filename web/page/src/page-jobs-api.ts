// The part of the API (docs/openapi.yaml, /desk) for jobs that are set up here.
import {call} from "./api.js";

export interface Upload {
  id: string;
  name: string;
  bytes: number;
  received: number;
}

export interface ColumnInfo {
  name: string;
  distinct: number;
  empty: number;
  kind: "number" | "date" | "text";
  /** All but the empty one, sorted; null: there are too many, or long ones. */
  values: string[] | null;
  /** How many records have each of the values. */
  counts?: number[] | null;
  hints: string[];
  least?: number;
  greatest?: number;
  /** Of a table of a database: its type as SQL spells it. */
  type?: string;
  /** Of a table that was not looked at: `distinct` is an estimate, 0: not known. */
  isEstimate?: boolean;
}

export interface TableInfo {
  rows: number;
  columns: ColumnInfo[];
}

export interface JobText {
  yaml: string;
  /** Names in the text → ids of uploads. */
  files: Record<string, string>;
}

export interface Checked {
  levels: number[];
  is_anonymous: boolean;
  score?: number;
}

export interface Report {
  rows: number;
  k: number;
  models: string[];
  metric: string;
  quasi_identifiers: string[];
  columns: string[];
  not_published: string[];
  levels: number[];
  heights: number[];
  scores: Record<string, number | null | (number | null)[]>;
  published_rows: number;
  classes: number;
  smallest_class: number;
  suppressed_rows: number;
  dropped_rows: number;
  hidden_rows: number;
  certainty_penalty: number;
  /** (epsilon, delta)-differential privacy: a sample of the records that were read; `rows` counts the sample.
   * beta: the probability of each record to be in it. */
  differential_privacy: {epsilon: number; delta: number; beta: number; k: number; read_rows: number} | null;
  /** Of a job that makes groups. */
  mondrian: {
    algorithm: string;
    groups: number;
    smallest: number;
    largest: number;
    discernibility_penalty: number;
    gcp_bound?: number;
  } | null;
  search: {
    algorithm: string;
    is_proven: boolean;
    checks: number;
    lower_bound?: number;
    transformations?: number;
    checked?: Checked[];
  } | null;
  /** With local_recoding: the transformation above, then those of the records that the ones before suppress;
   * else empty. */
  recoding: {records: number}[];
  /** Each of its further transformations is the best, and no other one pays off; or none was asked for. */
  is_recoding_proven: boolean;
  phases_ms: Record<string, number>;
}

export interface Figures {
  rows: number;
  classes: number;
  smallest: number;
  largest: number;
  unique_rows: number;
  highest_risk: number;
  mean_risk: number;
  at_risk: number;
  marketer_risk: number;
  /** Size of a class → how many classes have it. */
  histogram: [size: number, classes: number][];
}

export interface Run {
  id: string;
  name: string;
  state: "running" | "done" | "cancelled" | "failed";
  started_at: string;
  ended_at: string | null;
  checks: number;
  best: number | null;
  bound: number | null;
  decided_share: number;
  message: string | null;
  hint: string | null;
  report: Report | null;
  losses: number[];
}

export interface RunDetails extends Run {
  yaml: string;
  /** starred_rows: of the result, those that show `*` in all quasi-identifiers. */
  measures: {before: Figures | null; after: Figures | null; starred_rows: number} | null;
}

export interface JobMistake {
  line: number;
  column: number;
  message: string;
  hint: string;
}

export interface JobCheck {
  error: JobMistake | null;
}

const id = encodeURIComponent;

export const pageJobs = {
  begin: (name: string, bytes: number) => call<{id: string}>("POST", "desk/uploads", {name, bytes}),
  part: (upload: string, offset: number, text: string) =>
    call<{received: number}>("POST", `desk/uploads/${id(upload)}/parts`, {offset, text}),
  columns: (upload: string, separator: string) =>
    call<TableInfo>("POST", `desk/uploads/${id(upload)}/columns`, {separator}),
  /** Reads the table; after api.prove. table: "schema.table". */
  tableColumns: (database: string, table: string) =>
    call<TableInfo>("POST", "desk/table-columns", {database, table}),
  dropUpload: (upload: string) => call<object>("DELETE", `desk/uploads/${id(upload)}`),
  check: (job: JobText) => call<JobCheck>("POST", "desk/check", job),
  start: (job: JobText) => call<{id: string}>("POST", "desk/runs", job),
  runs: () => call<Run[]>("GET", "desk/runs"),
  run: (run: string) => call<RunDetails>("GET", `desk/runs/${id(run)}`),
  cancel: (run: string) => call<object>("POST", `desk/runs/${id(run)}/cancel`, {}),
  drop: (run: string) => call<object>("DELETE", `desk/runs/${id(run)}`),
  resultAddress: (run: string) => `/api/v1/desk/runs/${id(run)}/result`,
};
