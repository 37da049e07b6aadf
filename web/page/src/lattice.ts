// The lattice of a search as a picture: one node for each transformation, a row for each sum of levels. No
// drawing here.
import type {Checked} from "./page-jobs-api.js";

export const kMostDrawn = 400;

export type NodeState = "chosen" | "anonymous" | "not anonymous" | "not checked";

export interface LatticeNode {
  levels: number[];
  state: NodeState;
  score: number | null;
  /** From the left and from the bottom, in [0, 1]. */
  x: number;
  y: number;
}

export interface LatticePicture {
  nodes: LatticeNode[];
  /** Pairs of indexes: one level of one attribute more. */
  edges: [number, number][];
  rows: number;
  widest: number;
}

export const sizeOf = (heights: readonly number[]) =>
  heights.reduce((product, height) => product * (height + 1), 1);

export const keyOf = (levels: readonly number[]) => levels.join(",");

/** All level vectors, in the order of their numbers. */
export function vectors(heights: readonly number[]): number[][] {
  return heights.reduce<number[][]>(
    (made, height) =>
      made.flatMap((levels) => Array.from({length: height + 1}, (_, level) => [...levels, level])),
    [[]],
  );
}

export function stateOf(
  checked: Checked | undefined,
  levels: readonly number[],
  chosen: readonly number[],
): NodeState {
  if (keyOf(levels) === keyOf(chosen)) return "chosen";
  if (!checked) return "not checked";
  return checked.is_anonymous ? "anonymous" : "not anonymous";
}

/** Null: there are more nodes than one can look at. */
export function picture(
  heights: readonly number[],
  checked: readonly Checked[],
  chosen: readonly number[],
): LatticePicture | null {
  if (heights.length === 0 || sizeOf(heights) > kMostDrawn) return null;
  const known = new Map(checked.map((it) => [keyOf(it.levels), it]));
  const byRow: number[][] = [];
  const all = vectors(heights);
  all.forEach((levels, index) => {
    const row = levels.reduce((sum, level) => sum + level, 0);
    (byRow[row] ??= []).push(index);
  });
  const place = new Map(
    byRow.flatMap((row, y) =>
      row.map((index, at): [number, [number, number]] => [index, [(at + 0.5) / row.length, y]]),
    ),
  );
  const nodes = all.map((levels, index): LatticeNode => {
    const found = known.get(keyOf(levels));
    const [x, y] = place.get(index) ?? [0, 0];
    return {
      levels,
      state: stateOf(found, levels, chosen),
      score: found?.score ?? null,
      x,
      y: byRow.length === 1 ? 0.5 : y / (byRow.length - 1),
    };
  });
  const indexes = new Map(all.map((levels, index) => [keyOf(levels), index]));
  const edges: [number, number][] = [];
  all.forEach((levels, index) =>
    levels.forEach((_, attribute) => {
      const above = indexes.get(keyOf(levels.map((level, at) => (at === attribute ? level + 1 : level))));
      if (above !== undefined) edges.push([index, above]);
    }),
  );
  return {nodes, edges, rows: byRow.length, widest: Math.max(...byRow.map((row) => row.length))};
}
