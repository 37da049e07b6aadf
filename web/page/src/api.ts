// The JSON API (docs/openapi.yaml). Values stay texts, as the console gives them.
import {began} from "./reach.js";

export type Standing = "admin" | "stats";

export interface Session {
  role: string;
  standing: Standing;
  csrf: string;
  version: string;
  /** admin.http.raw_rows lists the role. */
  raw_rows: boolean;
  /** admin.http.table_jobs lists the role. */
  table_jobs: boolean;
  /** admin.http.policy_authors lists the role. */
  policy_authors: boolean;
}

export interface Table {
  columns: string[];
  rows: (string | null)[][];
  notices: string[];
}

/** A policy as several people may change it; the tag is another one whenever it is. */
export interface PolicyNow {
  policy: string;
  tag: string;
  database: string;
  table: string;
  k: number;
  /** Of which distinct values count; null: each row is one. */
  unit: string | null;
  /** Roles; null: the grants of the database say who. */
  readers: string[] | null;
  columns: {name: string; class: string}[];
  /** 0: it is closed. */
  number: number;
  built_at: string | null;
  closed_because: string | null;
  building: string | null;
  file: string;
  file_is_loaded: boolean;
  file_problem: string | null;
}

export interface Problem {
  status: number;
  message: string;
  hint?: string;
  sqlstate?: string;
  /** Of a conflict: what is there now. */
  now?: PolicyNow;
}

export class ApiError extends Error {
  /** body: the whole answer, for those who know what else is in it. */
  constructor(
    readonly problem: Problem,
    readonly body: unknown = null,
  ) {
    super(problem.message);
  }
}

export interface VersionNode {
  rows: number;
  units: number;
  attribute?: string;
  value?: string;
  yes?: number;
  no?: number;
  falls_back?: boolean;
}

export interface Disclosure {
  rows: number;
  units: number;
  cells: number;
  disclosed: number;
  computable: number;
  equal: number;
  cohorts: number;
  smallest_cohort: number;
  disclosed_by_attribute: number[];
  computable_by_attribute: number[];
  equal_by_attribute: number[];
}

/** One GROUP BY: how wrong its counts are (docs/utility.md). */
export interface AnswerError {
  columns: string[];
  groups: number;
  groups_shown: number;
  rows: number;
  rows_shown: number;
  mean_error_ppm: number;
  p95_error_ppm: number;
  top_groups: number;
  top_kept: number;
}

export interface Utility {
  /** Cells that any suppression could show; left out where that takes too long to find. */
  most_cells?: number;
  columns: AnswerError[];
  pairs: AnswerError[];
  declared: AnswerError[];
  implied: {column: string; by: string}[];
}

export interface TreeAttribute {
  name: string;
  /** Of its column. */
  number: number;
  /** A coarser value of a column. */
  level?: {source: string; source_number: number; step: number};
}

export interface Version {
  policy: string;
  number: number;
  built_at: string;
  table: {schema: string; name: string; columns: {name: string}[]};
  tree: {k: number; attributes: TreeAttribute[]; nodes: VersionNode[]};
  disclosure: Disclosure;
  /** Versions from before it was measured have none. */
  utility?: Utility;
}

/** A column of a tree, as one attacker sees it. Columns that were left out have no guesses of the tree. */
export interface AttackColumn {
  column: string;
  hidden: number;
  prior_right: number;
  guessed_right?: number;
}

export interface Attacker {
  attacker: string;
  has: string;
  hidden: number;
  claimed: number;
  true: number;
  columns: AttackColumn[];
}

/** What `pgveil attack` writes as JSON (docs/attacks.md), as far as the page shows it. */
export interface AttackReport {
  is_anything_computable: boolean;
  attackers: Attacker[];
  /** Without figures: there were too many ways to look at. */
  known_persons: {
    known_columns: string[];
    persons?: number;
    unique?: number;
    in_one_class?: number;
    fewest_rows?: number;
    unknown_cells?: number;
    claimed?: number;
  } | null;
  together: {policies: string[]; required: number; small_classes: number} | null;
  not_tried: string[];
}

export interface DesignPolicy {
  name: string;
  database: string;
  table: string;
  k: number;
  columns: {name: string; class: string}[];
}

export interface DesignCheck {
  policies: DesignPolicy[];
  error: {line: number; column: number; message: string} | null;
}

export interface VersionSide {
  number: number;
  built_at: string;
  k: number;
  rows: number;
  units: number;
  cohorts: number;
  smallest_cohort: number;
}

export interface Difference {
  before: VersionSide;
  after: VersionSide;
  shares: Table;
  answers: Table;
  changes: Table;
  same: number;
}

/** How often values occur in the table; multiples of the grain, none of fewer than k units. */
export interface Distribution {
  column: string;
  grain: number;
  rows: number;
  values: {value: string; rows: number}[];
  other_values: number;
  other_rows: number;
  rare_rows: number;
  null_rows: number;
}

export interface RawRows {
  policy: string;
  table: string;
  number: number;
  columns: string[];
  raw: (string | null)[][];
  masked: (string | null)[][];
  notices: string[];
}

export interface DesignFile {
  name: string;
  tag: string;
}

/** A column of a table of a database: estimates and names, no value. */
export interface TableColumn {
  name: string;
  type: string;
  kind: "number" | "date" | "text";
  nullable: boolean;
  key: boolean;
  unique: boolean;
  distinct: number | null;
  nearly_unique: boolean;
  null_share: number | null;
  hints: string[];
}

export interface TableColumns {
  rows: number | null;
  columns: TableColumn[];
}

export interface AuditFilter {
  event: string;
  role: string;
  verdict: string;
  text: string;
  database?: string;
  reason?: string;
  /** Instants in UTC; the lines of from and later, and before to. */
  from?: string;
  to?: string;
  /** The page's own commands that only look. */
  looks?: "shown" | "hidden";
  /** Where an earlier answer ended; 0: the end of the file. */
  before?: number;
}

export interface AuditAnswer {
  events: Record<string, unknown>[];
  next: number | null;
  is_whole: boolean;
}

export interface AuditGroups {
  groups: {value: string; lines: number; latest: string}[];
  lines: number;
  values: number;
  is_whole: boolean;
}

type Method = "GET" | "POST" | "DELETE";

let csrf = "";
let onExpired: () => void = () => {};

/** Called when an answer says that nobody is signed in any more. */
export function whenExpired(listener: () => void): void {
  onExpired = listener;
}

export function problemOf(status: number, body: unknown): Problem {
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const text = (key: string) => (typeof fields[key] === "string" ? (fields[key] as string) : undefined);
  const problem: Problem = {status, message: text("message") ?? `pgveil answered with status ${status}`};
  const hint = text("hint");
  const sqlstate = text("sqlstate");
  if (hint) problem.hint = hint;
  if (sqlstate) problem.sqlstate = sqlstate;
  if (typeof fields["now"] === "object" && fields["now"] !== null) problem.now = fields["now"] as PolicyNow;
  return problem;
}

/** One request of the API; the session's token goes with what changes something. */
export async function call<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const headers: Record<string, string> = {Accept: "application/json"};
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  let text: string;
  const end = began(method === "GET");
  try {
    response = await fetch(`/api/v1/${path}`, {
      method,
      headers,
      credentials: "same-origin",
      redirect: "error",
      ...(body === undefined ? {} : {body: JSON.stringify(body)}),
      ...(signal === undefined ? {} : {signal}),
    });
    text = await response.text();
  } catch {
    end(signal?.aborted ? "given up" : "lost");
    if (signal?.aborted) throw new ApiError({status: 0, message: "cancelled"});
    throw new ApiError({status: 0, message: "pgveil can't be reached", hint: "is it running? try again"});
  }
  end("answered");
  let parsed: unknown = null;
  try {
    parsed = text === "" ? null : JSON.parse(text);
  } catch {
    throw new ApiError({status: response.status, message: "the answer is no JSON"});
  }
  if (response.status === 401 && !path.startsWith("session")) onExpired();
  if (!response.ok) throw new ApiError(problemOf(response.status, parsed), parsed);
  return parsed as T;
}

function remember<T extends Session | null>(session: T): T {
  csrf = session?.csrf ?? "";
  return session;
}

const name = encodeURIComponent;

export const api = {
  /** Null: nobody is signed in. */
  session: async () => remember(await call<Session | null>("GET", "session")),
  signIn: async (role: string, password: string) =>
    remember(await call<Session>("POST", "session", {role, password})),
  signInByLink: async (link: string) => remember(await call<Session>("POST", "session/link", {link})),
  signOut: () => call<null>("DELETE", "session"),
  policies: () => call<Table>("GET", "policies"),
  version: (policy: string) => call<Version>("GET", `policies/${name(policy)}/version`),
  rules: (policy: string) => call<Table>("GET", `policies/${name(policy)}/rules`),
  cohorts: (policy: string) => call<Table>("GET", `policies/${name(policy)}/cohorts`),
  state: (policy: string) => call<PolicyNow>("POST", "state", {policy}),
  /** Builds what was looked at: 412 when it is another by now, 409 while somebody builds it. */
  build: (policy: string, tag: string) => call<Table>("POST", "build", {policy, tag}),
  check: (policy: string) => call<Table>("POST", `policies/${name(policy)}/check`, {}),
  /** known: columns that an attacker knows of every person. */
  attack: (policy: string, known: readonly string[]) =>
    call<AttackReport>("POST", `policies/${name(policy)}/attack`, {knows: known, format: "json"}),
  /** The same report as a page of its own. */
  attackPage: async (policy: string, known: readonly string[]) => {
    const body = {knows: known, format: "html"};
    const table = await call<Table>("POST", `policies/${name(policy)}/attack`, body);
    return table.rows[0]?.[0] ?? "";
  },
  /** saved: a version's JSON; empty: a build now. */
  difference: (policy: string, saved: string) => call<Difference>("POST", "difference", {policy, saved}),
  distribution: (policy: string, column: string) =>
    call<Distribution>("POST", "distribution", {policy, column}),
  audit: (filter: AuditFilter, limit?: number) =>
    call<AuditAnswer>("POST", "audit", limit === undefined ? filter : {...filter, limit}),
  auditGroups: (filter: AuditFilter, by: string) =>
    call<AuditGroups>("POST", "audit/groups", {...filter, by}),
  checkDesign: (yaml: string) => call<DesignCheck>("POST", "design/check", {yaml}),
  designFiles: () => call<DesignFile[]>("POST", "design/files", {}),
  designFile: (file: string) => call<DesignFile & {yaml: string}>("POST", "design/file", {name: file}),
  tables: (database: string) => call<string[]>("POST", "design/tables", {database}),
  columns: (database: string, table: string) =>
    call<TableColumns>("POST", "design/columns", {database, table}),
  rawRows: (policy: string, password: string) => call<RawRows>("POST", "raw-rows", {policy, password}),
  /** For jobs over tables; counts for five minutes. */
  prove: (password: string) => call<object>("POST", "prove", {password}),
  explain: (role: string, database: string, sql: string) =>
    call<Table>("POST", "explain", {role, database, sql}),
  rows: (role: string, database: string, sql: string) => call<Table>("POST", "rows", {role, database, sql}),
  show: (what: string) => call<Table>("GET", `show/${name(what)}`),
  runJob: (job: string) => call<Table>("POST", `jobs/${name(job)}/run`, {}),
  cancelJob: (job: string) => call<Table>("POST", `jobs/${name(job)}/cancel`, {}),
};
