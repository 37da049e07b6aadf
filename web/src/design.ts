// Editing a policy: places in its text, and drafts that outlive a visit of another page.

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

const escaped = (name: string) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The text with another class of this column, where it stands on a line of its own as `column: {class: …`; null: it does not. */
export function withClass(text: string, policy: string, column: string, newClass: string): string | null {
  const lines = text.split("\n");
  const begin = lines.findIndex(line => new RegExp(`^\\s*-\\s+name:\\s*(["']?)${escaped(policy)}\\1\\s*(#.*)?$`).test(line));
  if (begin < 0) return null;
  const indent = /^\s*/.exec(lines[begin] ?? "")?.[0] ?? "";
  const after = lines.findIndex((line, at) => at > begin && line.startsWith(`${indent}- `));
  const wanted = new RegExp(`^(\\s+(["']?)${escaped(column)}\\2:\\s*\\{\\s*class:\\s*)[a-z_]+`);
  const found = lines.findIndex((line, at) => at > begin && (after < 0 || at < after) && wanted.test(line));
  if (found < 0) return null;
  lines[found] = (lines[found] ?? "").replace(wanted, (_, before: string) => before + newClass);
  return lines.join("\n");
}

let draft = "";

export const drafts = {
  read: () => draft,
  write: (text: string) => {
    draft = text;
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
