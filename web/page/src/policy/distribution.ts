// The values of a column in the table beside those that readers see.
import type {Distribution} from "../api.js";
import type {ShownValue} from "./release.js";

export interface ValuePair {
  name: string;
  /** A multiple of the grain; null: not told apart from others. */
  before: number | null;
  after: number;
}

const kNamed = 15;

/** Both sides, value by value; the values that are not named are told together in the last lines. */
export function pairs(before: Distribution | null, after: readonly ShownValue[], rows: number): ValuePair[] {
  const shown = new Map(after.map(it => [it.value, it.rows]));
  const names = before ? before.values.map(it => it.value) : after.map(it => it.value);
  const known = new Set(names);
  // A value may have become rare since the build.
  for (const {value} of after) if (!known.has(value)) names.push(value);
  const had = new Map(before?.values.map(it => [it.value, it.rows]));
  const named = names.slice(0, kNamed).map((name): ValuePair => ({
    name,
    before: before ? had.get(name) ?? null : null,
    after: shown.get(name) ?? 0,
  }));
  const others = names.slice(kNamed);
  const sum = (of: Map<string, number>) => others.reduce((all, name) => all + (of.get(name) ?? 0), 0);
  if (others.length > 0)
    named.push({
      name: `${others.length} other values`,
      before: before ? sum(had) + before.other_rows : null,
      after: sum(shown),
    });
  if (before && before.rare_rows > 0) named.push({name: "rare values", before: before.rare_rows, after: 0});
  const hidden = rows - after.reduce((all, it) => all + it.rows, 0);
  named.push({name: "NULL or hidden", before: before ? before.null_rows : null, after: hidden});
  return named;
}
