// The YAML that policies are written in, with the place of every part, so that one part of a text can be
// changed and all others stay as somebody wrote them. It reads what the policy language allows
// (docs/policy-language.md, "Strict reading"). A text with anything else is not read at all.

export interface Span {
  /** Offsets into the text; `end` is behind the last character. */
  start: number;
  end: number;
}

export interface Scalar extends Span {
  kind: "scalar";
  text: string;
  style: "plain" | "quoted" | "block";
}

export interface Missing extends Span {
  kind: "missing";
}

export interface Entry {
  key: Scalar;
  value: Node;
}

export interface MapNode extends Span {
  kind: "map";
  isFlow: boolean;
  /** The column of its keys, from 0; of a flow map the indentation of its line. */
  indent: number;
  entries: Entry[];
}

export interface ListNode extends Span {
  kind: "list";
  isFlow: boolean;
  indent: number;
  items: Node[];
}

export type Node = Scalar | Missing | MapNode | ListNode;

/** Why a text is not read, and the offset of the place. */
export class NotRead extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

const kForbidden = /^(?:[&*!>%@`]|<<\s*:|\?\s)/;

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): Node {
    const indent = this.toContent();
    if (indent === null) throw new NotRead(0, "the text is empty");
    const node = this.block(indent);
    if (this.toContent() !== null) throw new NotRead(this.at, "this line is not indented like those before");
    return node;
  }

  private rest(): string {
    const end = this.text.indexOf("\n", this.at);
    return this.text.slice(this.at, end < 0 ? this.text.length : end);
  }

  private columnOf(offset: number): number {
    return offset - (this.text.lastIndexOf("\n", offset - 1) + 1);
  }

  /** Moves to the next character that is neither space nor comment, at the begin of a line or behind a "- ";
   * returns its column. Null: there is none. */
  private toContent(): number | null {
    while (this.at < this.text.length) {
      const line = this.rest();
      const space = /^ */.exec(line)?.[0].length ?? 0;
      if (line[space] === "\t") throw new NotRead(this.at + space, "a line is indented with a tab");
      if (line.slice(space).trim() === "" || line[space] === "#") {
        this.at += line.length + 1;
        continue;
      }
      if (/^(---|\.\.\.)/.test(line)) throw new NotRead(this.at, "the text has several documents");
      this.at += space;
      return this.columnOf(this.at);
    }
    return null;
  }

  /** Behind a value: only a comment may follow on its line. */
  private endLine(): void {
    const match = /^[ \t]*(?:[ \t]#.*)?\r?$/.exec(this.rest()) ?? /^#.*$/.exec(this.rest());
    if (!match) throw new NotRead(this.at, "there is more text behind a value");
    this.at = Math.min(this.text.length, this.at + this.rest().length + 1);
  }

  private block(indent: number): Node {
    const rest = this.rest();
    if (/^-( |$)/.test(rest)) return this.list(indent);
    if (this.keyLength(rest) !== null) return this.map(indent);
    const node = this.value();
    this.endLine();
    return node;
  }

  /** The length of a key at the begin of a line, without its colon; null: it has none. */
  private keyLength(line: string): number | null {
    const quoted = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*:(?:\s|$)/.exec(line);
    if (quoted) return quoted[1]?.length ?? null;
    const plain = /^[^\s#"'[\]{},&*!|>%@`-][^#]*?(?=\s*:(?:\s|$))/.exec(line);
    if (plain && !/[[\]{},]/.test(plain[0])) return plain[0].length;
    return null;
  }

  private key(length: number): Scalar {
    const start = this.at;
    const first = this.text[start];
    const key: Scalar = first === '"' || first === "'"
      ? this.quoted()
      : this.plain(this.text.slice(start, start + length));
    this.at = start + length;
    this.at = this.text.indexOf(":", this.at) + 1;
    return key;
  }

  private map(indent: number): MapNode {
    const map: MapNode = {kind: "map", isFlow: false, indent, entries: [], start: this.at, end: this.at};
    for (;;) {
      const length = this.keyLength(this.rest());
      if (length === null || kForbidden.test(this.rest()))
        throw new NotRead(this.at, "a line is neither a key with its value nor an item of a list");
      const key = this.key(length);
      if (map.entries.some(it => it.key.text === key.text))
        throw new NotRead(key.start, `the key "${key.text}" is there twice`);
      const value = this.valueOf(indent);
      map.entries.push({key, value});
      map.end = Math.max(value.end, key.end);
      const next = this.peekIndent();
      if (next === null || next < indent || /^-( |$)/.test(this.peekLine())) return map;
      if (next > indent) throw new NotRead(this.at, "a line is indented further than those before");
      this.toContent();
    }
  }

  private list(indent: number): ListNode {
    const list: ListNode = {kind: "list", isFlow: false, indent, items: [], start: this.at, end: this.at};
    for (;;) {
      this.at += 1;
      const space = /^ */.exec(this.rest())?.[0].length ?? 0;
      const inner = this.rest().slice(space);
      let item: Node;
      if (inner.trim() === "" || inner.startsWith("#")) {
        this.at = Math.min(this.text.length, this.at + this.rest().length + 1);
        const next = this.peekIndent();
        if (next === null || next <= indent) throw new NotRead(this.at, "an item of a list is empty");
        this.toContent();
        item = this.block(next);
      } else {
        this.at += space;
        item = this.block(this.columnOf(this.at));
      }
      list.items.push(item);
      list.end = item.end;
      const next = this.peekIndent();
      if (next === null || next < indent) return list;
      if (next > indent) throw new NotRead(this.at, "a line is indented further than those before");
      if (!/^-( |$)/.test(this.peekLine())) return list;
      this.toContent();
    }
  }

  private peekIndent(): number | null {
    const was = this.at;
    const indent = this.toContent();
    this.at = was;
    return indent;
  }

  private peekLine(): string {
    const was = this.at;
    this.toContent();
    const line = this.rest();
    this.at = was;
    return line;
  }

  /** The value behind a key's colon, on its line or below it. */
  private valueOf(indent: number): Node {
    const space = /^[ \t]*/.exec(this.rest())?.[0].length ?? 0;
    const inner = this.rest().slice(space);
    if (inner.trim() === "" || (space > 0 && inner.startsWith("#"))) {
      const here = this.at;
      this.at = Math.min(this.text.length, this.at + this.rest().length + 1);
      const next = this.peekIndent();
      const isList = /^-( |$)/.test(this.peekLine());
      if (next === null || next < indent || (next === indent && !isList))
        return {kind: "missing", start: here, end: here};
      this.toContent();
      return this.block(next);
    }
    this.at += space;
    if (inner.startsWith("|")) return this.blockText(indent);
    const node = this.value();
    this.endLine();
    return node;
  }

  private value(): Node {
    const line = this.rest();
    if (kForbidden.test(line)) throw new NotRead(this.at, "the policy language does not have this YAML");
    if (line.startsWith("{") || line.startsWith("[")) return this.flow();
    if (line.startsWith('"') || line.startsWith("'")) return this.quoted();
    const plain = /^(?:[^#\r]|(?<=\S)#)*/.exec(line)?.[0].replace(/\s+$/, "") ?? "";
    if (/:(?:\s|$)/.test(plain)) throw new NotRead(this.at, "a value has a colon; write it in quotes");
    return this.plain(plain);
  }

  private plain(text: string): Scalar {
    const start = this.at;
    this.at += text.length;
    return {kind: "scalar", text, style: "plain", start, end: this.at};
  }

  private blockText(indent: number): Scalar {
    const start = this.at;
    if (!/^\|[-+]?\s*(#.*)?$/.test(this.rest())) throw new NotRead(start, "a block text has an unknown head");
    this.at = Math.min(this.text.length, this.at + this.rest().length + 1);
    const lines: string[] = [];
    let end = this.at - 1;
    while (this.at < this.text.length) {
      const line = this.rest();
      if (line.trim() !== "" && (/^ */.exec(line)?.[0].length ?? 0) <= indent) break;
      lines.push(line);
      if (line.trim() !== "") end = this.at + line.length;
      this.at = Math.min(this.text.length, this.at + line.length + 1);
    }
    const margin = Math.min(
      ...lines.filter(it => it.trim() !== "").map(it => /^ */.exec(it)?.[0].length ?? 0));
    const text = lines.map(it => it.slice(margin)).join("\n");
    return {kind: "scalar", text, style: "block", start, end};
  }

  private quoted(): Scalar {
    const start = this.at;
    const match = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(this.rest());
    if (!match) throw new NotRead(start, "a text in quotes does not end on its line");
    this.at += match[0].length;
    const inner = match[0].slice(1, -1);
    let text = inner.replaceAll("''", "'");
    if (match[0].startsWith('"')) {
      try {
        text = JSON.parse(match[0]) as string;
      } catch {
        throw new NotRead(start, "a text in quotes has an escape that the form does not know");
      }
    }
    return {kind: "scalar", text, style: "quoted", start, end: this.at};
  }

  // ---- flow: {a: 1, b: [2, 3]}

  private skipFlowSpace(): void {
    const match = /^(?:\s|(?<=\s)#[^\n]*)*/.exec(this.text.slice(this.at));
    this.at += match?.[0].length ?? 0;
    if (this.at >= this.text.length) throw new NotRead(this.at, "a bracket is not closed");
  }

  private flow(): MapNode | ListNode {
    const start = this.at;
    const line = this.text.lastIndexOf("\n", start - 1) + 1;
    const indent = /^ */.exec(this.text.slice(line))?.[0].length ?? 0;
    const isMap = this.text[start] === "{";
    const close = isMap ? "}" : "]";
    const entries: Entry[] = [];
    const items: Node[] = [];
    this.at += 1;
    for (;;) {
      this.skipFlowSpace();
      if (this.text[this.at] === close) break;
      if (isMap) {
        const key = this.flowScalar(true);
        if (entries.some(it => it.key.text === key.text))
          throw new NotRead(key.start, `the key "${key.text}" is there twice`);
        this.skipFlowSpace();
        if (this.text[this.at] !== ":") throw new NotRead(this.at, "a key in braces has no value");
        this.at += 1;
        this.skipFlowSpace();
        const isEmpty = this.text[this.at] === "," || this.text[this.at] === "}";
        const value: Node = isEmpty ? {kind: "missing", start: this.at, end: this.at} : this.flowValue();
        entries.push({key, value});
      } else {
        items.push(this.flowValue());
      }
      this.skipFlowSpace();
      if (this.text[this.at] === ",") this.at += 1;
      else if (this.text[this.at] !== close) throw new NotRead(this.at, "a comma or a bracket is missing");
    }
    this.at += 1;
    const span = {start, end: this.at, isFlow: true, indent};
    return isMap ? {kind: "map", ...span, entries} : {kind: "list", ...span, items};
  }

  private flowValue(): Node {
    const first = this.text[this.at];
    return first === "{" || first === "[" ? this.flow() : this.flowScalar(false);
  }

  private flowScalar(isKey: boolean): Scalar {
    const rest = this.rest();
    if (kForbidden.test(rest)) throw new NotRead(this.at, "the policy language does not have this YAML");
    if (rest.startsWith('"') || rest.startsWith("'")) return this.quoted();
    const pattern = isKey ? /^(?:[^,[\]{}#:]|:(?!\s|$)|(?<=\S)#)+/ : /^(?:[^,[\]{}#]|(?<=\S)#)+/;
    const text = pattern.exec(rest)?.[0].replace(/\s+$/, "") ?? "";
    if (text === "") throw new NotRead(this.at, "a value in brackets is missing");
    return this.plain(text);
  }
}

/** THROWS NotRead. */
export function readYaml(text: string): Node {
  return new Reader(text.replace(/\r(?=\n)/g, " ")).document();
}

export function entryOf(node: Node | undefined, key: string): Node | null {
  if (node?.kind !== "map") return null;
  return node.entries.find(it => it.key.text === key)?.value ?? null;
}

// ---- writing

const kWords = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

/** A text as YAML: plain where that can't be misread. */
export function written(text: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !kWords.test(text) ? text : JSON.stringify(text);
}

export const writtenList = (texts: readonly string[]) => `[${texts.map(written).join(", ")}]`;

const replaced = (text: string, {start, end}: Span, by: string) =>
  text.slice(0, start) + by + text.slice(end);

const lineEnd = (text: string, offset: number) => {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
};

/** The text with another value of a key of this map; null: without the key. A new key of a block comes behind
 * the key `after` if that is there, otherwise last. */
export function withEntry(
  text: string,
  map: MapNode,
  key: string,
  value: string | null,
  after?: string,
): string {
  const at = map.entries.findIndex(it => it.key.text === key);
  const found = map.entries[at];
  if (found && value !== null) {
    if (found.value.kind === "missing")
      return replaced(text, {start: found.value.start, end: found.value.start}, ` ${value}`);
    const isBelow = /\n/.test(text.slice(found.key.end, found.value.start));
    if (isBelow) {
      // What stood in lines below the key stands on its line now.
      const colon = text.indexOf(":", found.key.end) + 1;
      return replaced(text, {start: colon, end: found.value.end}, ` ${value}`);
    }
    return replaced(text, found.value, value);
  }
  if (found) return withoutEntry(text, map, at);
  if (value === null) return text;
  if (map.isFlow) {
    const last = map.entries[map.entries.length - 1];
    if (!last) return replaced(text, {start: map.start + 1, end: map.end - 1}, `${written(key)}: ${value}`);
    const place = Math.max(last.value.end, last.key.end);
    return replaced(text, {start: place, end: place}, `, ${written(key)}: ${value}`);
  }
  const before = map.entries.find(it => it.key.text === after) ?? map.entries[map.entries.length - 1];
  const place = lineEnd(text, before ? Math.max(before.value.end, before.key.end) : map.end);
  return replaced(text, {start: place, end: place}, `\n${" ".repeat(map.indent)}${written(key)}: ${value}`);
}

function withoutEntry(text: string, map: MapNode, at: number): string {
  const entry = map.entries[at];
  if (!entry) return text;
  const end = Math.max(entry.value.end, entry.key.end);
  if (map.isFlow) {
    const next = map.entries[at + 1];
    const before = map.entries[at - 1];
    if (next) return replaced(text, {start: entry.key.start, end: next.key.start}, "");
    if (before)
      return replaced(text, {start: Math.max(before.value.end, before.key.end), end}, "");
    return replaced(text, {start: map.start + 1, end: map.end - 1}, "");
  }
  const start = text.lastIndexOf("\n", entry.key.start - 1) + 1;
  // The first key of an item stands behind its "- ", which must stay.
  if (text.slice(start, entry.key.start).trim() !== "") {
    const next = map.entries[at + 1];
    return replaced(text, {start: entry.key.start, end: next ? next.key.start : end}, "");
  }
  const close = lineEnd(text, end);
  return replaced(text, {start, end: Math.min(text.length, close + 1)}, "");
}
