// The addresses of "Protect a table" (docs/openapi.yaml).
import {
  call,
  type DesignFile,
  type Disclosure,
  type PolicyNow,
  type RawRows,
  type Table,
  type TableColumn,
  type Utility,
} from "../api.js";
import type {ColumnClass} from "../policy-text/form.js";

export type TableState = "protected" | "open" | "closed" | "unlisted";
export type TableLooks = "persons" | "events" | "reference" | "unknown";

export interface FoundPolicy {
  name: string;
  state: "open" | "closed";
  why: string | null;
  number: number;
}

export interface FoundTable {
  table: string;
  schema: string;
  name: string;
  kind: string;
  rows: number | null;
  state: TableState;
  why: string | null;
  policies: FoundPolicy[];
  looks: TableLooks;
  /** A part of a sentence: why it looks so. */
  reason: string;
  personal: {column: string; what: string}[];
  can_draft: boolean;
  why_not: string | null;
}

export interface FoundTables {
  database: string;
  /** Null: the configuration has no folder for policies. */
  policy_folder: string | null;
  tables: FoundTable[];
}

/** With the class that is proposed for a policy. */
export interface ProposedColumn extends TableColumn {
  /** Null: there is no proposal, so it is best hidden. */
  class: ColumnClass | null;
  reason: string | null;
  /** YAML of the level that is proposed with the class. */
  generalize: string | null;
  /** What the owner could add to the table to have more shown. */
  more: string | null;
}

/** A policy for a table that has none, as `pgveil init` would write it. */
export interface PolicyDraft {
  policy: string;
  file: string | null;
  k: number;
  k_reason: string;
  unit: string | null;
  unit_reason: string | null;
  priority: string[];
  findings: string[];
  yaml: string;
}

export interface TableDraft {
  rows: number | null;
  columns: ProposedColumn[];
  /** Rows of the sample; 0: none was read. */
  sampled: number;
  /** The role for builds may read the table. */
  may_count: boolean;
  looks: TableLooks;
  reason: string;
  draft: PolicyDraft | null;
  /** Why there is no draft. */
  why_not: string | null;
}

export interface TextMistake {
  message: string;
  policy: string | null;
  line: number | null;
  column: number | null;
}

export interface MissingRight {
  database: string;
  what: string;
  sql: string;
}

export interface PlannedApply {
  errors: TextMistake[];
  warnings: string[];
  missing: MissingRight[];
  policies: {name: string; database: string; table: string; is_new: boolean}[];
  removed: string[];
  shows_more: string[];
}

export interface AppliedPolicy {
  name: string;
  needs_build: boolean;
  state: PolicyNow;
}

export interface Applied {
  undo: string;
  file: DesignFile;
  reload: Table;
  policies: AppliedPolicy[];
  missing: MissingRight[];
  warnings: string[];
}

export interface Undone {
  file: {name: string; tag: string | null};
  reload: Table;
  policies: AppliedPolicy[];
}

export type CurvePoint = {k: number; disclosure: Disclosure; utility: Utility} | {k: number; error: string};

export interface Curve {
  policy: string;
  counted_at: string;
  attributes: string[];
  points: CurvePoint[];
}

export interface Connection {
  /** Null: whatever host the page was opened by. */
  host: string | null;
  port: number;
  databases: string[];
  /** What clients write. */
  sslmode: "disable" | "prefer" | "require";
  is_loopback: boolean;
}

export type Sample = Omit<RawRows, "number"> & {k: number};

/** Of a conflict of apply: the file as it is now; null: it is gone. */
export interface FileNow {
  name: string;
  tag: string;
  yaml: string;
}

export const protectApi = {
  tables: (database: string) => call<FoundTables>("POST", "protect/tables", {database}),
  draft: (database: string, table: string) =>
    call<TableDraft>("POST", "protect/draft", {database, table}),
  check: (file: string, yaml: string, seen: string | null) =>
    call<PlannedApply>("POST", "protect/check", {file, yaml, seen}),
  /** A newer question of this session replaces it: it then answers 409 with SQLSTATE 57014. */
  curve: (yaml: string, policy: string, ks: number[], signal: AbortSignal) =>
    call<Curve>("POST", "protect/curve", {yaml, policy, ks}, signal),
  cancel: () => call<{was_running: boolean}>("POST", "protect/cancel", {}),
  sample: (yaml: string, policy: string, password: string) =>
    call<Sample>("POST", "protect/sample", {yaml, policy, password}),
  apply: (file: string, yaml: string, seen: string | null, password: string) =>
    call<Applied>("POST", "protect/apply", {file, yaml, seen, password}),
  undo: (id: string, password: string) => call<Undone>("POST", "protect/undo", {id, password}),
  connection: () => call<Connection>("GET", "protect/connection"),
};
