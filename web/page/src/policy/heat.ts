// How wrong counts by each column and pair of columns are, as a square.
import type {AnswerError, Utility} from "../api.js";

export interface HeatCell {
  /** Share in [0, 1]; null: NULL in every row, or not measured. */
  error: number | null;
  shown: number | null;
}

/** 0, up to 5 %, 15 %, 35 %, 65 %, and more. */
export function heatOf(error: number): number {
  return [0.0005, 0.05, 0.15, 0.35, 0.65].filter(it => error > it).length;
}

const cellOf = (asked: AnswerError | undefined): HeatCell =>
  asked && asked.rows > 0
    ? {error: asked.mean_error_ppm / 1_000_000, shown: asked.rows_shown / asked.rows}
    : {error: null, shown: null};

/** cells[row][column]; the diagonal is the column alone. */
export function heatMap(utility: Utility): {names: string[]; cells: HeatCell[][]} {
  const names = utility.columns.map(it => it.columns[0] ?? "");
  const key = (columns: readonly string[]) => JSON.stringify([...columns].sort());
  const asked = new Map([...utility.columns, ...utility.pairs].map(it => [key(it.columns), it]));
  const cells = names.map(row =>
    names.map(column => cellOf(asked.get(key(row === column ? [row] : [row, column])))));
  return {names, cells};
}
