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
