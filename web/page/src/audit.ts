// Lines of the audit log as a table.
import type {Table} from "./api.js";

export type AuditEvent = Record<string, unknown>;

const kColumns = ["at", "event", "session", "role", "database", "verdict", "rows", "sqlstate", "sql", "more"];

const text = (value: unknown): string | null =>
  value === undefined || value === null
    ? null
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

/** The columns that most lines have, and the rest of each line in words. */
export function auditTable(events: AuditEvent[]): Table {
  const rows = events.map(event => {
    const rest = Object.entries(event)
      .filter(([key]) => !kColumns.includes(key))
      .map(([key, value]) => `${key} ${text(value) ?? ""}`);
    return kColumns.map(column => (column === "more" ? rest.join(", ") || null : text(event[column])));
  });
  return {columns: kColumns, rows, notices: []};
}
