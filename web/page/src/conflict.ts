// Two people change the same thing: what is another one now, and texts brought together line by line.
import type {PolicyNow} from "./api.js";

/** What changed of a policy between two looks, in words. */
export function changesOf(before: PolicyNow, now: PolicyNow): string[] {
  const out: string[] = [];
  const version = (it: PolicyNow) => (it.number === 0 ? "closed" : `version ${it.number}`);
  if (before.number !== now.number)
    out.push(
      `it was ${version(before)}, and is ${version(now)}${now.built_at ? `, built ${now.built_at}` : ""}`,
    );
  if (before.table !== now.table) out.push(`its table was ${before.table}, and is ${now.table}`);
  if (before.k !== now.k) out.push(`k was ${before.k}, and is ${now.k}`);
  const classes = new Map(before.columns.map(it => [it.name, it.class]));
  for (const {name, class: own} of now.columns) {
    const was = classes.get(name);
    classes.delete(name);
    if (was === undefined) out.push(`column ${name} is new: ${own.replaceAll("_", " ")}`);
    else if (was !== own)
      out.push(`column ${name} was ${was.replaceAll("_", " ")}, and is ${own.replaceAll("_", " ")}`);
  }
  for (const name of classes.keys()) out.push(`column ${name} was removed`);
  if (before.file !== now.file) out.push(`it is in ${now.file} now`);
  if (now.building) out.push(`a build is running: ${now.building}`);
  if (out.length === 0) out.push("its text or its file was changed");
  return out;
}

/** What stands beside a policy: a file that was changed and not loaded, or can't be read. */
export function fileNote(now: PolicyNow): string | null {
  if (now.file_problem) return `The policy files can't be loaded as they are now: ${now.file_problem}.`;
  return now.file_is_loaded
    ? null
    : `${now.file} was changed after it was loaded. BUILD uses the loaded text; RELOAD loads the file.`;
}

// ---- lines

const kMostCells = 4_000_000;

/** Pairs of places of lines that both have, ascending: as many as can be. */
function matches(before: string[], after: string[]): [number, number][] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const rows = before.length - start - end;
  const columns = after.length - start - end;
  const out: [number, number][] = Array.from({length: start}, (_, at): [number, number] => [at, at]);
  if (rows * columns <= kMostCells) {
    const width = columns + 1;
    const longest = new Uint32Array((rows + 1) * width);
    const at = (row: number, column: number) => longest[row * width + column] ?? 0;
    for (let row = rows - 1; row >= 0; row--)
      for (let column = columns - 1; column >= 0; column--)
        longest[row * width + column] = before[start + row] === after[start + column]
          ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    for (let row = 0, column = 0; row < rows && column < columns;) {
      if (before[start + row] === after[start + column]) out.push([start + row++, start + column++]);
      else if (at(row + 1, column) >= at(row, column + 1)) row++;
      else column++;
    }
  }
  for (let it = end; it > 0; it--) out.push([before.length - it, after.length - it]);
  return out;
}

/** Lines [from, to) of the text before became these. */
export interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

const linesOf = (text: string) => text.split("\n");

export function hunksOf(before: string, after: string): Hunk[] {
  const [old, made] = [linesOf(before), linesOf(after)];
  const hunks: Hunk[] = [];
  let [from, begin] = [0, 0];
  for (const [left, right] of [...matches(old, made), [old.length, made.length] as [number, number]]) {
    if (left > from || right > begin) hunks.push({from, to: left, lines: made.slice(begin, right)});
    [from, begin] = [left + 1, right + 1];
  }
  return hunks;
}

export interface DiffLine {
  kind: "gone" | "new";
  /** Of the text before, from 1. */
  line: number;
  text: string;
}

export function lineDiff(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  return hunksOf(before, after).flatMap(({from, to, lines}) => [
    ...old.slice(from, to).map((text, at): DiffLine => ({kind: "gone", line: from + at + 1, text})),
    ...lines.map((text): DiffLine => ({kind: "new", line: from + 1, text})),
  ]);
}

/** Both people's changes of one text; null: they changed the same lines, or lines side by side. */
export function merged(base: string, mine: string, theirs: string): string | null {
  const hunks = [...hunksOf(base, mine), ...hunksOf(base, theirs)].sort(
    (a, b) => a.from - b.from || a.to - b.to,
  );
  const kept: Hunk[] = [];
  for (const hunk of hunks) {
    const last = kept[kept.length - 1];
    if (!last || hunk.from > last.to) {
      kept.push(hunk);
      continue;
    }
    const isSame =
      hunk.from === last.from && hunk.to === last.to && hunk.lines.join("\n") === last.lines.join("\n");
    if (!isSame) return null;
  }
  const lines = linesOf(base);
  for (const {from, to, lines: made} of kept.reverse()) lines.splice(from, to - from, ...made);
  return lines.join("\n");
}
