// What is known of a column, in one line.
import type {ColumnInfo} from "../page-jobs-api.js";
import {count} from "../ui/format.js";

function amountsOf(column: ColumnInfo, rows: number): string[] {
  if (column.isEstimate)
    return column.distinct > 0 ? [`about ${count(column.distinct)} different values`] : [];
  const parts = [
    column.distinct === rows
      ? "every record has a different value"
      : `${count(column.distinct)} different values`,
  ];
  if (column.empty > 0) parts.push(`${count(column.empty)} ${column.type === undefined ? "empty" : "NULL"}`);
  if (column.kind === "number" && column.least !== undefined && column.greatest !== undefined)
    parts.push(`numbers from ${column.least} to ${column.greatest}`);
  if (column.kind === "date") parts.push("dates");
  return parts;
}

/** rows: of the table; negative: not known. */
export function hintOf(column: ColumnInfo, rows: number): string {
  const type = column.type === undefined ? [] : [column.type];
  return [...type, ...amountsOf(column, rows), ...column.hints.map(it => `looks like ${it}`)].join("; ");
}
