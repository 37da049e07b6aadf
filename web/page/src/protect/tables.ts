// The tables of a database as a list: which come first, which match, and what is said of each.
import type {Tone} from "../ui.js";
import {count} from "../ui/format.js";
import type {FoundTable, TableLooks, TableState} from "./api.js";

export type Choice = "personal" | "unprotected" | "all";

const kLooks: Record<TableLooks, {order: number; words: string; tone: Tone}> = {
  persons: {order: 0, words: "persons", tone: "bad"},
  events: {order: 1, words: "about persons", tone: "warn"},
  unknown: {order: 2, words: "unclear", tone: "neutral"},
  reference: {order: 3, words: "no persons found", tone: "neutral"},
};

const kStates: Record<TableState, {words: string; tone: Tone}> = {
  protected: {words: "protected", tone: "good"},
  open: {words: "unprotected, readable", tone: "bad"},
  closed: {words: "closed", tone: "warn"},
  unlisted: {words: "not readable", tone: "neutral"},
};

export const looksOf = (table: FoundTable) => kLooks[table.looks];
export const stateWords = (state: TableState) => kStates[state];

const needsAction = (it: FoundTable) =>
  it.state !== "protected" && (it.looks === "persons" || it.looks === "events");

/** What wants a decision comes first: persons before events, unprotected before the rest, then by name. */
export function inOrder(tables: readonly FoundTable[]): FoundTable[] {
  const rank = (it: FoundTable) => (it.state === "protected" ? 10 : 0) + kLooks[it.looks].order;
  return [...tables].sort(
    (a, b) => rank(a) - rank(b) || (a.table < b.table ? -1 : a.table > b.table ? 1 : 0));
}

export function matching(tables: readonly FoundTable[], choice: Choice, words: string): FoundTable[] {
  const wanted = words.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return tables.filter((it) => {
    if (choice === "personal" && it.looks !== "persons" && it.looks !== "events") return false;
    if (choice === "unprotected" && it.state === "protected") return false;
    const personal = it.personal.flatMap(of => [of.column, of.what]);
    const text = [it.table, it.reason, ...personal].join(" ").toLowerCase();
    return wanted.every(word => text.includes(word));
  });
}

/** One sentence above the list. */
export function summaryOf(tables: readonly FoundTable[]): string {
  const personal = tables.filter(it => it.looks === "persons" || it.looks === "events");
  const open = personal.filter(needsAction).length;
  if (tables.length === 0) return "This database has no tables.";
  if (personal.length === 0) return `None of ${count(tables.length)} tables looks personal.`;
  const all = `${count(personal.length)} of ${count(tables.length)} tables look personal`;
  if (open === 0) return `${all}, and all of them are protected.`;
  return `${all}; ${open === 1 ? "one of them is" : `${count(open)} of them are`} not protected yet.`;
}
