// Editing a policy: columns of its table in its text, places in its text, and drafts that outlive a visit of
// another page.
import type {TableColumn} from "./api.js";
import {count, percent} from "./table.js";

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

export const kClasses = ["identifier", "quasi_identifier", "sensitive", "insensitive"] as const;

/** What a column of this class can be made. A key has a domain, which the text alone can say, so a key stays
 * a key and nothing else becomes one. */
export const classesFor = (now: string | undefined): readonly string[] =>
  now === "key" ? ["key"] : kClasses;

const escaped = (name: string) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The text with another class of this column, where it stands on a line of its own as `column: {class: …`;
 * null: it does not, or it is a key. */
export function withClass(text: string, policy: string, column: string, newClass: string): string | null {
  const lines = text.split("\n");
  const begin = lines.findIndex((line) =>
    new RegExp(`^\\s*-\\s+name:\\s*(["']?)${escaped(policy)}\\1\\s*(#.*)?$`).test(line),
  );
  if (begin < 0) return null;
  const indent = /^\s*/.exec(lines[begin] ?? "")?.[0] ?? "";
  const after = lines.findIndex((line, at) => at > begin && line.startsWith(`${indent}- `));
  const wanted = new RegExp(`^(\\s+(["']?)${escaped(column)}\\2:\\s*\\{\\s*class:\\s*)(?!key\\b)[a-z_]+`);
  const found = lines.findIndex((line, at) => at > begin && (after < 0 || at < after) && wanted.test(line));
  if (found < 0) return null;
  lines[found] = (lines[found] ?? "").replace(wanted, (_, before: string) => before + newClass);
  return lines.join("\n");
}

const plainKey = (name: string) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(name)
    ? name
    : JSON.stringify(name);

/** As withClass, and with the column at the end of the policy's list when it is not there; null: it can't be
 * put in. */
export function withColumn(text: string, policy: string, column: string, newClass: string): string | null {
  const changed = withClass(text, policy, column, newClass);
  if (changed !== null) return changed;
  const lines = text.split("\n");
  const begin = lines.findIndex((line) =>
    new RegExp(`^\\s*-\\s+name:\\s*(["']?)${escaped(policy)}\\1\\s*(#.*)?$`).test(line),
  );
  if (begin < 0) return null;
  const indent = /^\s*/.exec(lines[begin] ?? "")?.[0] ?? "";
  const after = lines.findIndex((line, at) => at > begin && line.startsWith(`${indent}- `));
  const end = after < 0 ? lines.length : after;
  const head = lines.findIndex((line, at) => at > begin && at < end && /^\s+columns:\s*(#.*)?$/.test(line));
  if (head < 0) return null;
  const depth = (line: string) => /^ */.exec(line)?.[0].length ?? 0;
  const isBlank = (line: string) => /^\s*(#.*)?$/.test(line);
  const own = depth(lines[head] ?? "");
  let last = head;
  let inner = "";
  for (let at = head + 1; at < end && (isBlank(lines[at] ?? "") || depth(lines[at] ?? "") > own); at++) {
    const line = lines[at] ?? "";
    if (isBlank(line)) continue;
    if (new RegExp(`^\\s+(["']?)${escaped(column)}\\1:`).test(line)) return null;
    inner ||= " ".repeat(depth(line));
    last = at;
  }
  lines.splice(last + 1, 0, `${inner || " ".repeat(own + 2)}${plainKey(column)}: {class: ${newClass}}`);
  return lines.join("\n");
}

/** Nothing that was not looked at is shown: what names a row, or may, is hidden; all else depends on how many
 * share it. */
export function suggestedForTable(column: TableColumn): (typeof kClasses)[number] {
  const isGeneral = column.hints.every(it => /^a (date|place) /.test(it));
  return column.key || column.unique || column.nearly_unique || !isGeneral
    ? "identifier"
    : "quasi_identifier";
}

/** What is told of a column in words. */
export function factsOf(column: TableColumn): string {
  const parts: string[] = [];
  if (column.key) parts.push("of the primary key");
  if (column.unique && !column.key) parts.push("unique");
  if (column.distinct !== null) parts.push(`about ${count(column.distinct)} different values`);
  else if (column.nearly_unique) parts.push("nearly every row has a different value");
  if (column.null_share !== null && column.null_share > 0)
    parts.push(`${percent(column.null_share, 1)} NULL`);
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
