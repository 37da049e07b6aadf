// What a version's tree shows where: cohorts with their sizes, the columns that each part shows, and where a
// column is hidden. Pure; linear in the tree, so 50,000 cohorts take moments.
import type {TreeAttribute} from "../api.js";
import {predicate, type Part} from "../icicle.js";

export interface Cohort {
  /** The part of the tree where it ends. */
  part: number;
  /** With the rows that fall back to it. */
  rows: number;
  /** Of its own part: it has at least this many. */
  units: number;
  /** Names, in the order of the tree's attributes. */
  shows: string[];
}

export interface Release {
  cohorts: Cohort[];
  /** For each part, the place in `cohorts` of the one that its rows end in; -1: it is divided further. */
  cohortOf: Int32Array;
  /** Rows of a part that show the attribute. */
  rowsShown: (part: number, attribute: string) => number;
}

const stepOf = (attribute: TreeAttribute) =>
  attribute.level && attribute.level.source_number !== attribute.number ? attribute.level.step : 0;
const sourceOf = (attribute: TreeAttribute) => attribute.level?.source_number ?? attribute.number;

/** What a split on each attribute releases: itself, and coarser levels of the same column. */
export function releasedTogether(attributes: readonly TreeAttribute[]): Map<string, string[]> {
  return new Map(
    attributes.map(it => [
      it.name,
      attributes
        .filter(other => other === it || (sourceOf(other) === sourceOf(it) && stepOf(other) > stepOf(it)))
        .map(other => other.name),
    ]),
  );
}

/** The part whose cohort the rows at the end of this one belong to; it is the part itself unless that falls
 * back. */
export function cohortPart(parts: readonly Part[], index: number): number {
  let at = index;
  for (let part = parts[at]; part?.fallsBack; part = parts[at]) {
    // The end of a list falls out of the part that the list divides; a part without a list out of its own.
    const divided = part.attribute === null ? parts[part.parent] : part;
    const outer = parts[divided?.parent ?? -1];
    const last = outer?.children[outer.children.length - 1];
    if (last === undefined || last === at) break;
    at = last;
  }
  return at;
}

/** The attributes that are shown at a part, in their own order. */
export function shownAt(parts: readonly Part[], index: number, together: Map<string, string[]>): Set<string> {
  const names = new Set<string>();
  for (let part = parts[index]; part; part = parts[part.parent])
    if (part.attribute !== null)
      for (const name of together.get(part.attribute) ?? [part.attribute]) names.add(name);
  return names;
}

export function releaseOf(parts: readonly Part[], attributes: readonly TreeAttribute[]): Release {
  const together = releasedTogether(attributes);
  const place = new Map(attributes.map((it, at) => [it.name, at]));
  const width = attributes.length;
  const sums = new Float64Array(parts.length * width);
  const cohortOf = new Int32Array(parts.length).fill(-1);
  const cohorts: Cohort[] = [];
  const add = (part: number) => {
    const shown = shownAt(parts, part, together);
    const of = parts[part];
    cohortOf[part] = cohorts.length;
    cohorts.push({
      part,
      rows: 0,
      units: of?.units ?? 0,
      shows: attributes.map(it => it.name).filter(name => shown.has(name)),
    });
  };
  for (const part of parts) if (part.children.length === 0 && !part.fallsBack) add(part.index);
  for (const part of parts) {
    if (part.children.length > 0) continue;
    const at = cohortOf[cohortPart(parts, part.index)] ?? -1;
    const cohort = cohorts[at];
    if (!cohort) continue;
    cohortOf[part.index] = at;
    cohort.rows += part.rows;
    const base = part.index * width;
    for (const name of cohort.shows) sums[base + (place.get(name) ?? 0)] = part.rows;
  }
  // Parents come before their children.
  for (let index = parts.length - 1; index > 0; index--) {
    const parent = parts[index]?.parent ?? 0;
    for (let at = 0; at < width; at++) {
      const above = parent * width + at;
      sums[above] = (sums[above] ?? 0) + (sums[index * width + at] ?? 0);
    }
  }
  return {
    cohorts,
    cohortOf,
    rowsShown: (part, attribute) => sums[part * width + (place.get(attribute) ?? 0)] ?? 0,
  };
}

export interface Bucket {
  from: number;
  /** Infinity: no limit. */
  to: number;
  cohorts: number;
  rows: number;
}

/** Cohorts by units, in steps of 1, 2 and 5 times k: [k, 2k), [2k, 5k), [5k, 10k) … at most a dozen. */
export function sizeBuckets(cohorts: readonly Cohort[], k: number): Bucket[] {
  const edges: number[] = [];
  const most = cohorts.reduce((largest, it) => Math.max(largest, it.units), k);
  for (let power = Math.max(k, 1); edges.length < 12 && power <= most; power *= 10)
    for (const step of [1, 2, 5]) if (edges.length < 12 && step * power <= most) edges.push(step * power);
  if (edges.length === 0) edges.push(k);
  const made = edges.map((from, at): Bucket => ({
    from,
    to: (edges[at + 1] ?? Infinity) - 1,
    cohorts: 0,
    rows: 0,
  }));
  for (const {units, rows} of cohorts) {
    const bucket = made.find(it => units <= it.to) ?? made[0];
    if (!bucket) continue;
    bucket.cohorts++;
    bucket.rows += rows;
  }
  return made;
}

export interface ShownValue {
  value: string;
  rows: number;
}

/** The values of an attribute that readers see, with the rows that show each; most rows first. */
export function shownValues(parts: readonly Part[], release: Release, attribute: string): ShownValue[] {
  const rows = new Map<string, number>();
  for (const part of parts)
    if (part.attribute === attribute && part.value !== null)
      rows.set(part.value, (rows.get(part.value) ?? 0) + release.rowsShown(part.index, attribute));
  return [...rows].map(([value, many]) => ({value, rows: many})).sort((a, b) => b.rows - a.rows);
}

/** The parts of the tree where an attribute begins to be shown: the conditions of SHOW RULES. */
export function conditionsOf(parts: readonly Part[], attribute: string): Part[] {
  return parts.filter(it => it.attribute === attribute);
}

export interface HiddenPlace {
  part: number;
  rows: number;
  /** Of the rows there, those that do not show it. */
  hidden: number;
}

/** The parts just below the root where an attribute is hidden, the most hidden rows first. */
export function hiddenPlaces(parts: readonly Part[], release: Release, attribute: string): HiddenPlace[] {
  return (parts[0]?.children ?? [])
    .map(part => {
      const rows = parts[part]?.rows ?? 0;
      return {part, rows, hidden: rows - release.rowsShown(part, attribute)};
    })
    .filter(it => it.hidden > 0)
    .sort((a, b) => b.hidden - a.hidden);
}

/** Whether all words are in the condition or in what is shown, in any case. */
export function cohortFits(parts: readonly Part[], cohort: Cohort, words: string): boolean {
  const text = `${predicate(parts, cohort.part)} ${cohort.shows.join(" ")}`.toLowerCase();
  return words.toLowerCase().split(/\s+/).every(word => text.includes(word));
}
