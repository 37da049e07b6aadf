// The columns of a policy as cards in lanes. The order of the first lane is the policy's priority.
import type {ColumnClass, FormColumn, PolicyForm} from "./form.js";

export const kLanes = ["first", "quasi", "identifier", "sensitive", "insensitive"] as const;
export type Lane = (typeof kLanes)[number];

/** As many as the policy language takes. */
export const kMostFirst = 8;
export const kMostQuasi = 64;

const kClassOf: Record<Lane, ColumnClass> = {
  first: "quasi_identifier",
  quasi: "quasi_identifier",
  identifier: "identifier",
  sensitive: "sensitive",
  insensitive: "insensitive",
};

export function laneOf(form: PolicyForm, column: string): Lane {
  const own = form.columns.find(it => it.name === column)?.class ?? "identifier";
  if (own !== "quasi_identifier") return own;
  return form.priority.includes(column) ? "first" : "quasi";
}

/** Columns of the table that the policy does not list are hidden, like identifiers. */
export function cardsOf(form: PolicyForm, table: readonly string[], lane: Lane): string[] {
  // A text that somebody types can name columns there that are none.
  if (lane === "first") return form.priority.filter(it => laneOf(form, it) === "first");
  const listed = form.columns.map(it => it.name);
  const names = [...listed, ...table.filter(it => !listed.includes(it))];
  return names.filter(it => laneOf(form, it) === lane);
}

export type Move = {form: PolicyForm} | {refusal: string};

/** before: the column in the lane `first` that it is put before; null: behind all of them. */
export function moved(form: PolicyForm, column: string, lane: Lane, before: string | null): Move {
  const others = form.priority.filter(it => it !== column);
  if (lane === "first" && form.orderedBy !== null)
    return {refusal: `This policy has a ${form.orderedBy}, which decides what is shown first.`};
  if (lane === "first" && others.length >= kMostFirst)
    return {refusal: `At most ${kMostFirst} columns can be shown first. Move another one away before.`};
  const own = kClassOf[lane];
  const was = form.columns.find(it => it.name === column);
  const quasi = form.columns.filter(it => it.class === "quasi_identifier" && it.name !== column).length;
  if (own === "quasi_identifier" && quasi >= kMostQuasi)
    return {refusal: `A policy can have at most ${kMostQuasi} quasi-identifiers.`};
  if (form.unit === column && own !== "identifier")
    return {refusal: `${column} names the person whose rows are counted, so it has to stay hidden.`};
  const levels = own === "quasi_identifier" ? was?.levels ?? [] : [];
  const now: FormColumn = {name: column, class: own, levels};
  const columns = was ? form.columns.map(it => (it === was ? now : it)) : [...form.columns, now];
  const at = before === null ? others.length : others.indexOf(before);
  const place = at < 0 ? others.length : at;
  const priority = lane === "first" ? [...others.slice(0, place), column, ...others.slice(place)] : others;
  return {form: {...form, columns, priority}};
}

/** One place up or down in the lane `first`. */
export function shifted(form: PolicyForm, column: string, by: -1 | 1): PolicyForm {
  const at = form.priority.indexOf(column);
  const to = at + by;
  if (at < 0 || to < 0 || to >= form.priority.length) return form;
  const priority = form.priority.filter(it => it !== column);
  priority.splice(to, 0, column);
  return {...form, priority};
}

/** With the table's columns that the form does not list, each as it is proposed, else hidden. */
export function withProposals(
  form: PolicyForm,
  table: readonly {name: string; class: ColumnClass | null}[],
): PolicyForm {
  const listed = new Set(form.columns.map(it => it.name));
  return table.filter(it => !listed.has(it.name)).reduce((now, {name, class: own}) => {
    const lane = own === null ? "identifier" : own === "quasi_identifier" ? "quasi" : own;
    const move = moved(now, name, lane, null);
    return "form" in move ? move.form : now;
  }, form);
}

export const withLevels = (form: PolicyForm, column: string, levels: FormColumn["levels"]): PolicyForm => ({
  ...form,
  columns: form.columns.map(it => (it.name === column ? {...it, levels} : it)),
});

/** Why a policy can't be built as it is, in whole sentences. */
export function gaps(form: PolicyForm): string[] {
  const out: string[] = [];
  const quasi = form.columns.filter(it => it.class === "quasi_identifier");
  if (quasi.length === 0)
    out.push("No column is a quasi-identifier. At least one is needed: pgveil counts people by them.");
  if (form.k < 2) out.push("k has to be at least 2.");
  return out;
}
