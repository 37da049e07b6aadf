// Lines of the audit log: what a filter asks for, which columns have something, and files of them.
import type {AuditFilter} from "./api.js";

export type AuditEvent = Record<string, unknown>;

export type AuditKey = "event" | "verdict" | "role" | "database" | "reason";

export const kNoFilter: Required<Omit<AuditFilter, "before">> = {
  event: "", role: "", verdict: "", text: "", database: "", reason: "", from: "", to: "", looks: "hidden",
};

export type Range = "hour" | "day" | "week" | "all" | "own";

const kRangeMs: Record<"hour" | "day" | "week", number> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};

/** "from" of a range that ends now; empty: from the first line on. */
export function fromOf(range: Range, now: number): string {
  return range === "all" || range === "own" ? "" : new Date(now - kRangeMs[range]).toISOString();
}

/** The instant of what a field of date and time has, in the reader's time zone; empty: none. */
export function instantOf(local: string): string {
  const at = local === "" ? NaN : new Date(local).getTime();
  return Number.isNaN(at) ? "" : new Date(at).toISOString();
}

/** "22 Nov, 19:16:31" in the reader's time zone; the text itself where it is no instant. */
export function timeOf(at: unknown): string {
  const then = typeof at === "string" ? Date.parse(at) : NaN;
  if (Number.isNaN(then)) return textOf(at) ?? "";
  return new Date(then).toLocaleString("en-GB", {
    day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit",
  });
}

export const textOf = (value: unknown): string | null =>
  value === undefined || value === null
    ? null
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

/** "people_k2 v3, staff v1" */
export function policiesOf(value: unknown): string {
  if (!Array.isArray(value)) return textOf(value) ?? "";
  return value
    .map((it: unknown) => {
      const {policy, version} = (it ?? {}) as {policy?: unknown; version?: unknown};
      return `${textOf(policy) ?? ""} v${textOf(version) ?? ""}`;
    })
    .join(", ");
}

export type AuditColumn = "what" | "role" | "text" | "rows" | "took" | "policies" | "client" | "more";

const kKeysOf: Record<AuditColumn, string[]> = {
  what: ["event", "verdict"],
  role: ["role", "database"],
  text: ["sql", "reason", "sqlstate"],
  rows: ["rows"],
  took: ["took_us"],
  policies: ["policies"],
  client: ["client"],
  more: [],
};
const kPlaced = new Set(["at", ...Object.values(kKeysOf).flat()]);

/** What no column has. */
export function restOf(event: AuditEvent): [string, string][] {
  return Object.entries(event)
    .filter(([key]) => !kPlaced.has(key))
    .map(([key, value]) => [key, textOf(value) ?? ""]);
}

/** The columns that some line has something for. */
export function filledColumns(events: readonly AuditEvent[]): AuditColumn[] {
  return (Object.keys(kKeysOf) as AuditColumn[]).filter(column =>
    events.some(event =>
      column === "more"
        ? restOf(event).length > 0
        : kKeysOf[column].some(key => event[key] !== undefined && event[key] !== null)));
}

/** A cell of a table that spreadsheets open: what begins like a formula is made a text. */
function csvCell(value: unknown): string {
  const text = textOf(value) ?? "";
  const safe = typeof value === "number" || !/^[=+\-@\t\r]/.test(text) ? text : `'${text}`;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** RFC 4180, with a column for each key that some line has. */
export function auditCsv(events: readonly AuditEvent[]): string {
  const keys = [...new Set(events.flatMap(it => Object.keys(it)))];
  const lines = [keys.map(csvCell), ...events.map(event => keys.map(key => csvCell(event[key])))];
  return lines.map(cells => `${cells.join(",")}\r\n`).join("");
}

export const auditLines = (events: readonly AuditEvent[]): string =>
  events.map(it => `${JSON.stringify(it)}\n`).join("");
