// A hierarchy that is edited as a table: one row for each value, its levels from the left.

export const levelsOf = (rows: string[][]) => Math.max(0, (rows[0]?.length ?? 1) - 1);

export const withLevel = (rows: string[][]) =>
  rows.map((row) => [...row.slice(0, -1), row[row.length - 2] ?? "", row[row.length - 1] ?? "*"]);

export const withoutLevel = (rows: string[][], level: number) =>
  rows.map((row) => row.filter((_, at) => at !== level));

export function withCell(rows: string[][], row: number, level: number, text: string): string[][] {
  return rows.map((cells, at) =>
    at === row ? cells.map((cell, other) => (other === level ? text : cell)) : cells,
  );
}

const cell = (text: string) =>
  /[;"\r\n]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text;

/** The file of a hierarchy: one record for each value. */
export const hierarchyFile = (rows: string[][]) => rows.map(row => `${row.map(cell).join(";")}\n`).join("");

/** What is wrong with a table: two values of one level that part again above it; null: nothing. */
export function tableMistake(rows: string[][]): string | null {
  for (let level = 1; level < levelsOf(rows); level++) {
    const above = new Map<string, string>();
    for (const row of rows) {
      const here = row[level] ?? "";
      const next = row[level + 1] ?? "";
      const known = above.get(here);
      if (known !== undefined && known !== next)
        return `"${here}" of level ${level} is both "${known}" and "${next}" at level ${level + 1}`;
      above.set(here, next);
    }
  }
  return null;
}
