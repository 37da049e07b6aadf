// A lattice of any size, summed up: a strip for each sum of levels, and a map of two columns' levels.
import {keyOf} from "./lattice.js";
import type {Checked} from "./page-jobs-api.js";

export interface Strip {
  /** The sum of levels: 0 is the raw table. */
  sum: number;
  /** Transformations with this sum. A number of any size, exact up to 2^53. */
  all: number;
  anonymous: number;
  notAnonymous: number;
  hasChosen: boolean;
}

const sumOf = (levels: readonly number[]) => levels.reduce((sum, level) => sum + level, 0);

/** How many vectors of levels have each sum: one column after the other. */
export function vectorsBySum(heights: readonly number[]): number[] {
  return heights.reduce<number[]>(
    (before, height) => {
      const made = new Array<number>(before.length + height).fill(0);
      before.forEach((ways, sum) => {
        for (let level = 0; level <= height; level++) made[sum + level] = (made[sum + level] ?? 0) + ways;
      });
      return made;
    },
    [1],
  );
}

/** The most general transformation first. */
export function strips(
  heights: readonly number[],
  checked: readonly Checked[],
  chosen: readonly number[],
): Strip[] {
  const made = vectorsBySum(heights).map(
    (all, sum): Strip => ({sum, all, anonymous: 0, notAnonymous: 0, hasChosen: sum === sumOf(chosen)}),
  );
  for (const it of checked) {
    const strip = made[sumOf(it.levels)];
    if (!strip) continue;
    if (it.is_anonymous) strip.anonymous++;
    else strip.notAnonymous++;
  }
  return made.reverse();
}

/** All transformations with these levels of two columns. */
export interface MapCell {
  levels: [one: number, other: number];
  /** The best score of those that are anonymous and were evaluated. */
  best: number | null;
  evaluated: number;
  hasChosen: boolean;
}

/** one, other: columns by their places. Rows of the first column's levels, the most general one first. */
export function levelMap(
  heights: readonly number[],
  checked: readonly Checked[],
  chosen: readonly number[],
  [one, other]: readonly [number, number],
): MapCell[][] {
  const cells = new Map<string, MapCell>();
  const rows = Array.from({length: (heights[one] ?? 0) + 1}, (_, level) =>
    Array.from({length: (heights[other] ?? 0) + 1}, (__, second): MapCell => {
      const levels: [number, number] = [level, second];
      const hasChosen = chosen[one] === level && chosen[other] === second;
      const cell = {levels, best: null, evaluated: 0, hasChosen};
      cells.set(keyOf(levels), cell);
      return cell;
    }),
  );
  for (const it of checked) {
    const cell = cells.get(keyOf([it.levels[one] ?? 0, it.levels[other] ?? 0]));
    if (!cell) continue;
    cell.evaluated++;
    if (it.is_anonymous && it.score !== undefined) cell.best = Math.min(cell.best ?? Infinity, it.score);
  }
  return rows.reverse();
}
