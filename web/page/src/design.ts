// Editing a policy: places in its text, what is known of columns in words, and drafts that outlive a visit of
// another page.
import type {TableColumn} from "./api.js";
import {count, percent} from "./ui/format.js";

/** The offset of a line and column as pgveil tells them: from 1, columns in bytes. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  let bytes = 1;
  let offset = start;
  for (const character of text.slice(start)) {
    if (bytes >= column || character === "\n") break;
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    offset += character.length;
  }
  return offset;
}

export function lineAt(text: string, line: number): string {
  return text.split("\n")[line - 1] ?? "";
}

/** What is told of a column in words. */
export function factsOf(column: TableColumn): string {
  const parts: string[] = [];
  if (column.key) parts.push("of the primary key");
  if (column.unique && !column.key) parts.push("unique");
  if (column.distinct !== null) parts.push(`about ${count(column.distinct)} different values`);
  else if (column.nearly_unique) parts.push("nearly every row has a different value");
  if (column.null_share !== null && column.null_share > 0)
    parts.push(`${percent(column.null_share)} NULL`);
  else if (!column.nullable) parts.push("never NULL");
  return [...parts, ...column.hints.map(it => `looks like ${it}`)].join("; ");
}

export interface Base {
  name: string;
  tag: string;
  yaml: string;
}

let draft = "";
let base: Base | null = null;

export const drafts = {
  read: () => draft,
  write: (text: string) => {
    draft = text;
  },
  /** The file of the configuration that the draft began as. */
  base: () => base,
  begin: (of: Base | null) => {
    base = of;
  },
};

export const kExample = `version: 1
policies:
  - name: people_k5
    database: demo
    table: public.people
    k: 5
    readers: [analyst]
    columns:
      id:         {class: identifier}
      occupation: {class: quasi_identifier}
      city:       {class: quasi_identifier}
      state:      {class: quasi_identifier}
`;
