// How k changes what readers see: which k to ask for, and the answers in words.
import type {AnswerError, Utility} from "../api.js";
import {roughly} from "../ui/format.js";
import {meanError} from "../utility.js";
import type {CurvePoint} from "./api.js";

/** Stops of the slider. */
export const kStops = [
  2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200,
] as const;

/** The k that the curve is drawn through, those first that say most. */
const kAsked = [5, 10, 20, 2, 50, 100, 3, 7, 15, 30];

/** What to ask next; null: all is known. */
export function nextK(known: ReadonlySet<number>, chosen: number): number | null {
  return [chosen, ...kAsked].find(it => it >= 2 && !known.has(it)) ?? null;
}

export const askedAltogether = (chosen: number) => new Set([chosen, ...kAsked]).size;

export const stopOf = (k: number): number => {
  const at = kStops.findIndex(it => it >= k);
  return at < 0 ? kStops.length - 1 : at;
};

export interface Measured {
  k: number;
  /** Shares in [0, 1]. */
  shown: number;
  /** Null: no column has a value. */
  error: number | null;
}

export function measuredOf(point: CurvePoint): Measured | null {
  if ("error" in point) return null;
  const {cells, disclosed} = point.disclosure;
  const error = meanError(point.utility);
  return {k: point.k, shown: cells === 0 ? 0 : disclosed / cells, error: error === null ? null : error / 1e6};
}

export interface ColumnEffect {
  column: string;
  /** Of its rows; null: it has no value. */
  shown: number | null;
  error: number | null;
}

/** The columns of a point, in its own order: levels are columns of their own. */
export function effectsOf(utility: Utility): ColumnEffect[] {
  return utility.columns.map(({columns, rows, rows_shown, mean_error_ppm}) => ({
    column: columns.join(", "),
    shown: rows === 0 ? null : rows_shown / rows,
    error: rows === 0 ? null : mean_error_ppm / 1e6,
  }));
}

/** Counts by one column, in a sentence. */
export function sentenceOf(k: number, error: AnswerError): string {
  const by = error.columns.join(" and ");
  if (error.rows === 0) return `The column ${by} has no values.`;
  if (error.rows_shown === 0) return `At k = ${k}, ${by} is never shown, so nobody can count by it.`;
  if (error.mean_error_ppm === 0) return `At k = ${k}, counts by ${by} are exact.`;
  return `At k = ${k}, counts by ${by} are ${roughly(error.mean_error_ppm / 1e6)} too low on average.`;
}

/** One sentence for the column that matters most: the first of the priority, else the most wrong one. */
export function headline(k: number, utility: Utility, priority: readonly string[]): string | null {
  const own = utility.columns.filter(it => it.rows > 0);
  const first = priority.map(name => own.find(it => it.columns[0] === name)).find(it => it !== undefined);
  const worst = [...own].sort((a, b) => b.mean_error_ppm - a.mean_error_ppm)[0];
  const chosen = first ?? worst;
  return chosen ? sentenceOf(k, chosen) : null;
}
