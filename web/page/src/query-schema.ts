// What a role may read through masks, as pgveil itself tells readers (pgveil.columns, docs/analysts.md).
import type {Table} from "./api.js";
import {records} from "./table.js";

export interface MaskedColumn {
  name: string;
  class: string;
  /** Of the rows; null: not told. */
  shownPercent: number | null;
}

export interface MaskedTable {
  schema: string;
  name: string;
  columns: MaskedColumn[];
}

/** One row for each table, so that the limit on rows is one on tables. */
export const kSchemaSql =
  "SELECT table_schema, table_name, json_agg(json_build_array(column_name, class, shown_percent)) AS columns " +
  "FROM pgveil.columns GROUP BY 1, 2 ORDER BY 1, 2";

export function maskedTables(answer: Table): MaskedTable[] {
  return records(answer).map(row => ({
    schema: row["table_schema"] ?? "",
    name: row["table_name"] ?? "",
    columns: (JSON.parse(row["columns"] ?? "[]") as [string, string, number | null][]).map(
      ([name, kind, shown]) => ({name, class: kind, shownPercent: shown})),
  }));
}

const kPlain = /^[a-z_][a-z0-9_]*$/;

/** A name as SQL writes it: quoted unless it is plain. */
export function sqlName(name: string): string {
  return kPlain.test(name) && !kWords.has(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

// Reserved words that look like names of columns.
const kWords = new Set(
  ("all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create " +
   "current_date current_role current_time current_timestamp current_user default deferrable desc distinct do " +
   "else end except false fetch for foreign from grant group having in initially intersect into lateral leading " +
   "limit localtime localtimestamp not null offset on only or order placing primary references returning select " +
   "session_user some symmetric table then to trailing true union unique user using variadic when where window " +
   "with authorization binary collation concurrently cross current_schema freeze full ilike inner is isnull join " +
   "left like natural notnull outer overlaps right similar tablesample verbose").split(" "));

export const tableName = ({schema, name}: MaskedTable): string =>
  schema === "public" ? sqlName(name) : `${sqlName(schema)}.${sqlName(name)}`;

/** A statement over a table that exists: counts by the first quasi-identifier, or its rows. */
export function firstStatement(tables: readonly MaskedTable[]): string | null {
  const table = tables[0];
  if (!table) return null;
  const column = table.columns.find(it => it.class === "quasi_identifier" && (it.shownPercent ?? 0) > 0);
  if (!column) return `SELECT * FROM ${tableName(table)}`;
  const name = sqlName(column.name);
  return `SELECT ${name}, count(*) FROM ${tableName(table)} GROUP BY ${name} ORDER BY 2 DESC`;
}

/** Labels and numbers of a result of two columns, if that is what it is; either order of the two. */
export function chartOf(table: Table): {label: string; bars: {label: string; values: number[]}[]} | null {
  if (table.columns.length !== 2 || table.rows.length < 2) return null;
  const isNumber = (at: number) =>
    table.rows.every(row => row[at] !== null && /^-?\d+(\.\d+)?$/.test(row[at] ?? ""));
  const value = isNumber(1) ? 1 : isNumber(0) ? 0 : -1;
  if (value < 0) return null;
  const bars = table.rows.map(row => ({label: row[1 - value] ?? "NULL", values: [Number(row[value])]}));
  if (bars.some(it => (it.values[0] ?? 0) < 0)) return null;
  return {label: `${table.columns[value]} by ${table.columns[1 - value]}`, bars};
}
