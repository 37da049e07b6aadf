// What a form shows of one policy of a text. The text stays the truth: the form is read from it, and a change
// of the form is written into it (write.ts). Keys that the form does not have stay as they are.
import {entryOf, NotRead, readYaml, type ListNode, type MapNode, type Node} from "./yaml.js";

export const kClasses = ["identifier", "quasi_identifier", "sensitive", "insensitive"] as const;
export type ColumnClass = (typeof kClasses)[number];

export const isClass = (text: string): text is ColumnClass => kClasses.some(it => it === text);

export const kPeriods = ["day", "week", "month", "quarter", "year", "decade"] as const;
export type Period = (typeof kPeriods)[number];

/** column: where the coarser value is shown; null: in place of the exact value. */
export type Level =
  | {kind: "width"; width: number; column: string | null}
  | {kind: "period"; period: Period; column: string | null}
  | {kind: "prefix"; length: number; column: string | null}
  /** Groups, bounds, a hierarchy or another detail: kept as it is written. */
  | {kind: "other"; text: string};

export interface FormColumn {
  name: string;
  class: ColumnClass;
  levels: Level[];
}

export interface PolicyForm {
  name: string;
  database: string;
  /** Schema and name. */
  table: [schema: string, name: string];
  k: number;
  /** The column that names the privacy unit; null: each row is one. */
  unit: string | null;
  readers: string[];
  /** PostgreSQL's grants decide who reads; `readers` is empty then. */
  usesGrants: boolean;
  columns: FormColumn[];
  /** At most eight quasi-identifiers, which are disclosed before all others. */
  priority: string[];
  /** Why `priority` can't be written; null: it can. */
  orderedBy: "workload" | "weight" | null;
}

/** place: an offset into the text. */
export type FormReading = {form: PolicyForm} | {reason: string; place: number | null};

class Beyond extends Error {
  constructor(
    message: string,
    readonly place: number | null = null,
  ) {
    super(message);
  }
}

const textOf = (node: Node | null): string | null =>
  node?.kind === "scalar" && node.style !== "block" ? node.text : null;

function textsOf(node: Node | null, what: string): string[] {
  if (node === null || node.kind === "missing") return [];
  const texts = node.kind === "list" ? node.items.map(textOf) : [null];
  if (texts.some(it => it === null)) throw new Beyond(`${what} is not a list of names`, node.start);
  return texts.filter(it => it !== null);
}

function needed(map: MapNode, key: string): string {
  const found = textOf(entryOf(map, key));
  if (found === null) throw new Beyond(`the policy has no key "${key}"`, map.start);
  return found;
}

function wholeOf(text: string, node: Node | null): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new Beyond(`"${text}" is not a whole number`, node?.start ?? null);
  return Number(text);
}

function tableOf(map: MapNode): [string, string] {
  const node = entryOf(map, "table");
  if (node?.kind === "list") {
    const [schema, name, ...others] = textsOf(node, "table");
    if (schema !== undefined && name !== undefined && others.length === 0) return [schema, name];
  }
  const match = /^([^.]+)\.([^.]+)$/.exec(textOf(node) ?? "");
  if (match?.[1] !== undefined && match[2] !== undefined) return [match[1], match[2]];
  throw new Beyond("the name of the table can't be read", node?.start ?? map.start);
}

function levelOf(text: string, node: Node): Level {
  const other: Level = {kind: "other", text: text.slice(node.start, node.end)};
  if (node.kind !== "map") throw new Beyond("a level is not a map", node.start);
  const keys = node.entries.map(it => it.key.text).filter(it => it !== "column");
  const column = textOf(entryOf(node, "column"));
  const only = keys.length === 1 ? keys[0] : undefined;
  const value = only === undefined ? null : textOf(entryOf(node, only));
  if (value === null) return other;
  if (only === "width" && /^\d+(\.\d{1,4})?$/.test(value) && Number(value) > 0)
    return {kind: "width", width: Number(value), column};
  const period = kPeriods.find(it => it === value);
  if (only === "period" && period) return {kind: "period", period, column};
  if (only === "prefix" && /^[1-9]\d{0,3}$/.test(value))
    return {kind: "prefix", length: Number(value), column};
  return other;
}

function levelsOf(text: string, node: Node | null): Level[] {
  if (node === null || node.kind === "missing") return [];
  return node.kind === "list" ? node.items.map(it => levelOf(text, it)) : [levelOf(text, node)];
}

function columnOf(text: string, name: string, node: Node): FormColumn {
  const own = textOf(entryOf(node, "class"));
  if (own === null) throw new Beyond(`the column ${name} has no class`, node.start);
  if (own === "key")
    throw new Beyond(`${name} is a key of an entity, which the form does not have`, node.start);
  if (!isClass(own)) throw new Beyond(`"${own}" is not a class of columns`, node.start);
  return {name, class: own, levels: levelsOf(text, entryOf(node, "generalize"))};
}

function formFrom(text: string, policy: MapNode): PolicyForm {
  if (entryOf(policy, "source"))
    throw new Beyond("the policy has a source, which the form does not have", policy.start);
  if (entryOf(policy, "entity"))
    throw new Beyond("the policy is of an entity, which the form does not have", policy.start);
  const columns = entryOf(policy, "columns");
  if (columns?.kind !== "map") throw new Beyond("the policy lists no columns", policy.start);
  const k = entryOf(policy, "k");
  const hasWeight = columns.entries.some(it => entryOf(it.value, "weight") !== null);
  return {
    name: needed(policy, "name"),
    database: needed(policy, "database"),
    table: tableOf(policy),
    k: wholeOf(needed(policy, "k"), k),
    unit: textOf(entryOf(policy, "unit")),
    readers: textsOf(entryOf(policy, "readers"), "readers"),
    usesGrants: textOf(entryOf(policy, "access")) === "from_database",
    columns: columns.entries.map(({key, value}) => columnOf(text, key.text, value)),
    priority: textsOf(entryOf(policy, "priority"), "priority"),
    orderedBy: entryOf(policy, "workload") ? "workload" : hasWeight ? "weight" : null,
  };
}

/** The list of policies; null: there is none. */
export function policyList(root: Node): ListNode | null {
  const list = entryOf(root, "policies");
  return list?.kind === "list" ? list : null;
}

export function policyNode(root: Node, policy: string): MapNode | null {
  const found = policyList(root)?.items.find(it => textOf(entryOf(it, "name")) === policy);
  return found?.kind === "map" ? found : null;
}

export function policyNames(text: string): string[] {
  try {
    const items = policyList(readYaml(text))?.items ?? [];
    return items.map(it => textOf(entryOf(it, "name"))).filter(it => it !== null);
  } catch (thrown) {
    if (thrown instanceof NotRead) return [];
    throw thrown;
  }
}

/** A text that the form can't show has a reason, in words that follow "because". */
export function readForm(text: string, policy: string): FormReading {
  try {
    const found = policyNode(readYaml(text), policy);
    if (!found) return {reason: `the text has no policy "${policy}"`, place: null};
    return {form: formFrom(text, found)};
  } catch (thrown) {
    if (thrown instanceof Beyond) return {reason: thrown.message, place: thrown.place};
    if (thrown instanceof NotRead) return {reason: thrown.message, place: thrown.at};
    throw thrown;
  }
}
