// Answers of the console as records, and how their texts are read. Texts are written by ui/format.ts.
import type {Table} from "./api.js";

export type Row = Record<string, string | null>;

/** With a name of its own for each column: "count", "count (2)". Queries may give one name to several. */
export function distinctColumns(table: Table): Table {
  const taken = new Set<string>();
  const columns = table.columns.map(name => {
    let own = name;
    for (let at = 2; taken.has(own); at++) own = `${name} (${at})`;
    taken.add(own);
    return own;
  });
  return {...table, columns};
}

export function records(table: Table): Row[] {
  return table.rows.map(cells => {
    const row: Row = {};
    table.columns.forEach((column, at) => (row[column] = cells[at] ?? null));
    return row;
  });
}

/** Share in [0, 1] of "37.5%"; null: there is none. */
export function share(text: string | null | undefined): number | null {
  const match = /^(\d+(?:\.\d+)?)%$/.exec(text ?? "");
  return match ? Number(match[1]) / 100 : null;
}

export type Order = {column: string; isDescending: boolean};

const kNumber = /^-?\d+(?:\.\d+)?%?$/;

/** Numbers by size, texts by code; NULL last either way. Rows that are equal keep their order. */
export function sorted(rows: Row[], order: Order | null): Row[] {
  if (!order) return rows;
  const sign = order.isDescending ? -1 : 1;
  const compare = (a: string, b: string): number => {
    if (kNumber.test(a) && kNumber.test(b)) return parseFloat(a) - parseFloat(b);
    return a < b ? -1 : a > b ? 1 : 0;
  };
  return [...rows].sort((left, right) => {
    const a = left[order.column] ?? null;
    const b = right[order.column] ?? null;
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return sign * compare(a, b);
  });
}

export function filtered(rows: Row[], words: string): Row[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return rows;
  return rows.filter(row => Object.values(row).some(cell => cell?.toLowerCase().includes(wanted)));
}
