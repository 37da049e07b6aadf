// Levels for a column of words whose values have no order: rare values are joined first.

const kShares = [0.05, 0.2];

/** A word for the joined values that no value has. */
function otherOf(values: readonly string[]): string {
  const taken = new Set(values);
  for (let word = "other"; ; word = `(${word})`) {
    if (!taken.has(word)) return word;
  }
}

const isSame = (one: readonly string[], other: readonly string[]) => one.every((it, at) => it === other[at]);

/** One row for each value: the value, then its levels; the last one is `*`. Level 1 joins values that fewer
 * than 5 % of the records have, level 2 those below 20 %. A level that would join fewer than two values, or
 * all, is left out. Each level is a function of the one before, because what was joined stays joined. */
export function levelsByFrequency(values: readonly string[], counts: readonly number[]): string[][] {
  const all = counts.reduce((sum, it) => sum + it, 0);
  const other = otherOf(values);
  let before: readonly string[] = values;
  const levels: string[][] = [];
  for (const least of kShares) {
    const level = values.map((value, at) => ((counts[at] ?? 0) < least * all ? other : value));
    const joined = level.filter(it => it === other).length;
    if (joined < 2 || joined === values.length || isSame(level, before)) continue;
    levels.push(level);
    before = level;
  }
  return values.map((value, at) => [value, ...levels.map(level => level[at] ?? value), "*"]);
}
