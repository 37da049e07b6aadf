// The disclosure tree as an icicle: where each part lies, which one a point hits, how one moves between
// parts. No drawing here.
//
// A chain (a split, its "no" side, that one's "no" side …) is read as a list: its parts lie side by side
// under what they are parts of, and the last one is "otherwise". So depth is the number of values that a path
// released, not the number of its splits.
import type {VersionNode} from "./api.js";

export interface Part {
  /** Index in the array that layout() gives; parents come before their children. */
  index: number;
  parent: number;
  children: number[];
  depth: number;
  /** In rows of the table: [from, from + rows). */
  from: number;
  rows: number;
  units: number;
  /** What releases it: null at the root and for "otherwise". */
  attribute: string | null;
  value: string | null;
  fallsBack: boolean;
}

interface Open {
  node: number;
  parent: number;
}

function newPart(parts: Part[], parent: number, node: VersionNode, from: number): Part {
  const above = parts[parent];
  const part: Part = {
    index: parts.length,
    parent,
    children: [],
    depth: above ? above.depth + 1 : 0,
    from,
    rows: node.rows,
    units: node.units,
    attribute: null,
    value: null,
    fallsBack: node.falls_back === true,
  };
  parts.push(part);
  above?.children.push(part.index);
  return part;
}

/** Parts of a tree whose nodes are in preorder. A tree of one leaf is one part. */
export function layout(nodes: readonly VersionNode[]): Part[] {
  const parts: Part[] = [];
  const root = nodes[0];
  if (!root) return parts;
  newPart(parts, -1, root, 0);
  const open: Open[] = [{node: 0, parent: 0}];
  for (let chain = open.pop(); chain; chain = open.pop()) {
    let node = nodes[chain.node];
    const above = parts[chain.parent];
    if (!node || !above || node.attribute === undefined) continue;
    let from = above.from;
    while (node && node.attribute !== undefined) {
      const yes: VersionNode | undefined = nodes[node.yes ?? -1];
      if (!yes) break;
      const part = newPart(parts, chain.parent, yes, from);
      part.attribute = node.attribute;
      part.value = node.value ?? "";
      open.push({node: node.yes ?? -1, parent: part.index});
      from += yes.rows;
      node = nodes[node.no ?? -1];
    }
    if (node && from > above.from) newPart(parts, chain.parent, node, from);
  }
  return parts;
}

export interface View {
  from: number;
  rows: number;
}

/** As near to `view` as fits into [0, total); never less than one row wide. */
export function clamped(view: View, total: number): View {
  const rows = Math.min(Math.max(view.rows, Math.min(1, total)), total);
  return {rows, from: Math.min(Math.max(view.from, 0), total - rows)};
}

/** factor > 1 comes nearer; the row at `at` stays where it is. */
export function zoomed(view: View, at: number, factor: number, total: number): View {
  const rows = Math.min(Math.max(view.rows / factor, Math.min(1, total)), total);
  return clamped({rows, from: at - ((at - view.from) * rows) / view.rows}, total);
}

/** The first child that ends behind `row`. */
function childAt(parts: readonly Part[], children: readonly number[], row: number): number {
  let low = 0;
  let high = children.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const child = parts[children[middle] ?? -1];
    if (child && child.from + child.rows <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The part at this row and depth; null: there is none so deep. */
export function hit(parts: readonly Part[], row: number, depth: number): Part | null {
  let part = parts[0] ?? null;
  if (!part || depth < 0 || row < 0 || row >= part.rows) return null;
  while (part && part.depth < depth) {
    const next: Part | undefined = parts[part.children[childAt(parts, part.children, row)] ?? -1];
    part = next && next.from <= row ? next : null;
  }
  return part;
}

/** Visits what is at least `least` rows wide and in view; runs of narrower neighbours are told as one box
 * each. */
export function visible(
  parts: readonly Part[],
  view: View,
  least: number,
  visitPart: (part: Part) => void,
  visitRun: (from: number, rows: number, depth: number) => void,
): void {
  const end = view.from + view.rows;
  const stack: number[] = [0];
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    const part = parts[index];
    if (!part) continue;
    visitPart(part);
    let run = -1;
    let runEnd = -1;
    const flush = () => {
      if (run >= 0) visitRun(run, runEnd - run, part.depth + 1);
      run = -1;
    };
    for (let at = childAt(parts, part.children, view.from); at < part.children.length; at++) {
      const child = parts[part.children[at] ?? -1];
      if (!child || child.from >= end) break;
      if (child.rows < least) {
        if (run < 0) run = child.from;
        runEnd = child.from + child.rows;
        // What fills a pixel needs no more visits: the next child of interest is the one behind it.
        if (runEnd - run >= least) {
          flush();
        }
      } else {
        flush();
        stack.push(child.index);
      }
    }
    flush();
  }
}

export type Direction = "up" | "down" | "left" | "right" | "first" | "last";

/** Where an arrow key leads from a part: the part itself when there is nothing in that direction. */
export function neighbour(parts: readonly Part[], index: number, direction: Direction): number {
  const part = parts[index];
  if (!part) return 0;
  const siblings = parts[part.parent]?.children ?? [];
  const at = siblings.indexOf(index);
  switch (direction) {
    case "up":
      return Math.max(part.parent, 0);
    case "down":
      return part.children[0] ?? index;
    case "left":
      return siblings[at - 1] ?? index;
    case "right":
      return siblings[at + 1] ?? index;
    case "first":
      return siblings[0] ?? index;
    case "last":
      return siblings[siblings.length - 1] ?? index;
  }
}

export function pathOf(parts: readonly Part[], index: number): Part[] {
  const path: Part[] = [];
  for (let part = parts[index]; part; part = parts[part.parent]) path.unshift(part);
  return path;
}

const kNamedValues = 3;

/** "not 'A', 'B' and 7 more": what was split off before this part, of its siblings. */
function excluded(parts: readonly Part[], part: Part): string[] {
  const values = new Map<string, string[]>();
  for (const index of parts[part.parent]?.children ?? []) {
    const sibling = parts[index];
    if (!sibling || index === part.index) break;
    if (sibling.attribute === null) continue;
    const list = values.get(sibling.attribute) ?? [];
    list.push(sibling.value ?? "");
    values.set(sibling.attribute, list);
  }
  return [...values].map(([attribute, list]) => {
    const named = list.slice(0, kNamedValues).map(value => `'${value}'`).join(", ");
    const more = list.length - kNamedValues;
    return `${attribute} not ${named}${more > 0 ? ` and ${more} more` : ""}`;
  });
}

/** The condition under which a row is here; "not" reads: not known to have the value. */
export function predicate(parts: readonly Part[], index: number): string {
  const steps = pathOf(parts, index).flatMap(part => {
    const own = part.attribute === null ? [] : [`${part.attribute} = '${part.value ?? ""}'`];
    return [...excluded(parts, part), ...own];
  });
  return steps.length === 0 ? "everything" : steps.join(" and ");
}

/** The attributes that are shown here, in the order in which they were released. */
export function shown(parts: readonly Part[], index: number): string[] {
  return pathOf(parts, index).flatMap(part => (part.attribute === null ? [] : [part.attribute]));
}

export function labelOf(part: Part): string {
  if (part.attribute !== null) return `${part.attribute} = ${part.value ?? ""}`;
  return part.parent < 0 ? "everything" : "otherwise";
}
