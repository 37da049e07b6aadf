// A part of the disclosure tree in words: which rows are there, what is shown of them, and why the rest is
// not.
import type {TreeAttribute} from "../api.js";
import {pathOf, type Part} from "../icicle.js";
import {count, percent} from "../ui/format.js";
import {cohortPart, releasedTogether, shownAt, type Release} from "./release.js";

const kNamed = 3;

/** "a", "a and b", "a, b and c". */
export function listed(items: readonly string[], last = "and"): string {
  if (items.length < 2) return items[0] ?? "";
  return `${items.slice(0, -1).join(", ")} ${last} ${items[items.length - 1]}`;
}

/** The values that were split off before a part, by attribute: "city is none of A, B, C and 7 more". */
function splitOff(parts: readonly Part[], part: Part): string[] {
  const values = new Map<string, string[]>();
  for (const index of parts[part.parent]?.children ?? []) {
    const sibling = parts[index];
    if (!sibling || index === part.index) break;
    // A row with one value of a column has no other value of it.
    if (sibling.attribute === null || sibling.attribute === part.attribute) continue;
    const list = values.get(sibling.attribute) ?? [];
    list.push(sibling.value ?? "");
    values.set(sibling.attribute, list);
  }
  return [...values].map(([attribute, list]) => {
    if (list.length === 1) return `${attribute} is not ${list[0]}`;
    const more = list.length - kNamed;
    const named = list.slice(0, kNamed);
    return more > 0
      ? `${attribute} is none of ${named.join(", ")} and ${count(more)} more`
      : `${attribute} is none of ${listed(named, "and")}`;
  });
}

/** "Rows with state = OH and sex = f", or "All rows". "not" includes NULL. */
export function whichRows(parts: readonly Part[], index: number): string {
  const path = pathOf(parts, index);
  const has = path.filter(it => it.attribute !== null).map(it => `${it.attribute} = ${it.value ?? ""}`);
  const lacks = path.flatMap(it => splitOff(parts, it));
  if (has.length === 0 && lacks.length === 0) return "All rows";
  const told = has.length > 0 ? `Rows with ${listed(has)}` : "Rows";
  return lacks.length === 0 ? told : `${told} where ${listed(lacks)}`;
}

export interface ColumnHere {
  name: string;
  /** Of the part's rows, those that show it. */
  rows: number;
  state: "shown" | "hidden" | "in parts";
}

export interface Told {
  which: string;
  size: string;
  columns: ColumnHere[];
  /** Whole sentences: what is shown, what is hidden and why. */
  sentences: string[];
}

const isOrAre = (names: readonly string[]) => (names.length === 1 ? "is" : "are");

function whyHidden(part: Part, k: number, names: string[]): string {
  const them = listed(names, "and");
  if (part.fallsBack)
    return (
      `${them} ${isOrAre(names)} hidden, because fewer than ${count(k)} units are left here. ` +
      "These rows are shown like the rest of the group around them."
    );
  return (
    `${them} ${isOrAre(names)} hidden, because releasing a value of ` +
    `${names.length === 1 ? "it" : "one of them"} here would make a group of fewer than ${count(k)} units, ` +
    "or break another rule of the policy."
  );
}

export function tell(
  parts: readonly Part[],
  index: number,
  attributes: readonly TreeAttribute[],
  release: Release,
  k: number,
): Told | null {
  const part = parts[index];
  if (!part) return null;
  const end = cohortPart(parts, index);
  const shown = shownAt(parts, end, releasedTogether(attributes));
  const columns = attributes.map(({name}): ColumnHere => {
    const rows = release.rowsShown(index, name);
    return {
      name,
      rows,
      state: shown.has(name) ? "shown" : rows === 0 ? "hidden" : "in parts",
    };
  });
  const names = (state: ColumnHere["state"]) => columns.filter(it => it.state === state).map(it => it.name);
  const sentences: string[] = [];
  if (names("shown").length > 0) sentences.push(`${listed(names("shown"))} ${isOrAre(names("shown"))} shown.`);
  const inParts = columns.filter(it => it.state === "in parts");
  if (inParts.length > 0)
    sentences.push(
      `${listed(inParts.map(it => `${it.name} (${percent(it.rows / part.rows)} of these rows)`))} ` +
        `${isOrAre(inParts.map(it => it.name))} shown in some of its parts.`,
    );
  if (names("hidden").length > 0) sentences.push(whyHidden(part, k, names("hidden")));
  if (names("hidden").length === attributes.length && part.children.length === 0 && !part.fallsBack)
    sentences.push("Nothing of these rows is shown.");
  const total = parts[0]?.rows ?? 0;
  const kind =
    part.children.length > 0 ? `divided into ${count(part.children.length)} parts` : "one cohort";
  const size =
    `${count(part.rows)} rows (${percent(part.rows / total)}) of ${count(part.units)} units` +
    (part.fallsBack ? "" : `, ${kind}`);
  return {which: whichRows(parts, index), size, columns, sentences};
}
