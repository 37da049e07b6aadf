// What a version's answers are worth, as texts (docs/utility.md).
import type {AnswerError, Disclosure, Utility} from "./api.js";
import {percent} from "./ui/format.js";

/** "12.3 %" of parts per million. */
export function ofMillion(parts: number): string {
  return percent(parts / 1_000_000);
}

/** "86.1 % of at most 88.4 %": what is shown, and what any suppression could show. */
export function cellsShown(disclosure: Disclosure, utility: Utility | undefined): string {
  const shown = percent(disclosure.disclosed / disclosure.cells);
  if (utility?.most_cells === undefined || disclosure.cells === 0) return shown;
  return `${shown} of at most ${percent(utility.most_cells / disclosure.cells)}`;
}

/** The mean over the columns of their mean errors; null: no column has a value. */
export function meanError(utility: Utility): number | null {
  const measured = utility.columns.filter((it) => it.rows > 0);
  if (measured.length === 0) return null;
  return measured.reduce((sum, it) => sum + it.mean_error_ppm, 0) / measured.length;
}

export type Kind = "column" | "pair" | "workload";

export interface AskedRow {
  kind: Kind;
  question: string;
  error: AnswerError;
}

/** What the workload asks for comes first, then columns, then pairs. */
export function askedRows(utility: Utility): AskedRow[] {
  const rows = (kind: Kind, errors: AnswerError[]): AskedRow[] =>
    errors.map((error) => ({kind, question: error.columns.join(", "), error}));
  return [
    ...rows("workload", utility.declared),
    ...rows("column", utility.columns),
    ...rows("pair", utility.pairs),
  ];
}

/** Whole sentences: columns of which nothing is shown, and columns that follow from others. */
export function notes(utility: Utility): string[] {
  const hidden = utility.columns
    .filter((it) => it.rows > 0 && it.rows_shown === 0)
    .map((it) => `${it.columns.join(", ")} is never shown.`);
  const implied = utility.implied.map(
    ({column, by}) => `${column} follows from ${by}: each value of ${by} has one of ${column}.`,
  );
  return [...hidden, ...implied];
}
