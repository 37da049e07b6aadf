// Which column a hierarchy file is for, by its name: "adult_hierarchy_marital-status.csv", "age.csv".

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Null: of none, or of several equally well. */
export function columnOfFile(file: string, columns: readonly string[]): string | null {
  const words = ` ${wordsOf(file.replace(/\.[A-Za-z0-9]{1,5}$/, ""))} `;
  const found = columns.filter(it => wordsOf(it) !== "" && words.includes(` ${wordsOf(it)} `));
  const longest = Math.max(0, ...found.map(it => wordsOf(it).length));
  const best = found.filter(it => wordsOf(it).length === longest);
  if (best.length <= 1) return best[0] ?? null;
  const atEnd = best.filter(it => words.endsWith(` ${wordsOf(it)} `));
  return atEnd.length === 1 ? (atEnd[0] ?? null) : null;
}

export const looksLikeHierarchy = (file: string) => /hierarch/i.test(file);

/** Of several files that were dropped together: the table, and the others. */
export function tableAmong<T extends {name: string; size: number}>(
  files: readonly T[],
): {table: T | null; others: T[]} {
  const bySize = [...files].sort((one, other) => other.size - one.size);
  const table = bySize.find(it => !looksLikeHierarchy(it.name)) ?? null;
  return {table, others: files.filter(it => it !== table)};
}

/** Values of the column that the hierarchy does not have: the job would fail because of them. */
export function missingValues(records: readonly string[][], values: readonly string[] | null): string[] {
  if (values === null) return [];
  const known = new Set(records.map(it => it[0] ?? ""));
  return values.filter(it => !known.has(it));
}
