// What somebody is doing to one table. It outlives a visit of another page, in this tab's memory alone.
import {
  policyNames,
  readForm,
  type ColumnClass,
  type FormReading,
  type PolicyForm,
} from "../policy-text/form.js";
import {newText, withForm} from "../policy-text/write.js";
import type {Applied, CurvePoint, FoundTable, TableDraft} from "./api.js";

export const kSteps = ["columns", "k", "preview", "readers", "apply", "connect"] as const;
export type Step = (typeof kSteps)[number];

/** The file as it was read; tag null: there is none yet. */
export interface Base {
  name: string;
  tag: string | null;
  yaml: string;
}

/** What was measured for one text, whatever its k. */
export interface KnownCurve {
  key: string;
  points: ReadonlyMap<number, CurvePoint>;
}

export interface Flow {
  database: string;
  table: FoundTable;
  columns: TableDraft;
  policy: string;
  text: string;
  base: Base;
  step: Step;
  curve: KnownCurve;
  /** The latest successful Apply, and the file before it; null: none in this tab. */
  applied: {answer: Applied; before: Base} | null;
  /** Policies that are still to be built after it. */
  toBuild: string[];
  /** What somebody had before taking another's text; null: nothing was taken. */
  typed: string | null;
}

const flows = new Map<string, Flow>();
const keyOf = (database: string, table: string) => JSON.stringify([database, table]);

export const keptFlows = {
  read: (database: string, table: string): Flow | null => flows.get(keyOf(database, table)) ?? null,
  write: (flow: Flow) => {
    flows.set(keyOf(flow.database, flow.table.table), flow);
  },
  drop: (database: string, table: string) => {
    flows.delete(keyOf(database, table));
  },
  /** At the end of a session. */
  clear: () => flows.clear(),
};

/** A name of a policy or file that no other one has. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const plain = wanted.toLowerCase().replace(/[^a-z0-9_]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 50);
  const base = /^[a-z]/.test(plain) ? plain : `t_${plain}`.replace(/_$/, "");
  for (let at = 1; ; at++) {
    const name = at === 1 ? base : `${base}_${at}`;
    if (!taken.includes(name)) return name;
  }
}

/** The text of a table for which nothing was drafted: what has no proposal is hidden. */
export function plainText(
  database: string,
  table: FoundTable,
  columns: TableDraft,
  policy: string,
): string {
  const own = (it: ColumnClass | null): ColumnClass => it ?? "identifier";
  const form: PolicyForm = {
    name: policy,
    database,
    table: [table.schema, table.name],
    k: 5,
    unit: null,
    readers: [],
    usesGrants: false,
    columns: columns.columns.map(it => ({name: it.name, class: own(it.class), levels: []})),
    priority: [],
    orderedBy: null,
  };
  const reasons = new Map(columns.columns.map(it => [it.name, it.reason ?? ""]));
  return newText(form, reasons);
}

/** For a table without a policy. */
export function newFlow(
  database: string,
  table: FoundTable,
  columns: TableDraft,
  folder: string,
  taken: readonly string[],
): Flow {
  const {draft} = columns;
  const policy = draft?.policy ?? freeName(table.name, taken);
  const file = draft?.file ?? (folder === "" ? `${policy}.yaml` : `${folder}/${policy}.yaml`);
  return {
    database,
    table,
    columns,
    policy,
    text: draft?.yaml ?? plainText(database, table, columns, policy),
    base: {name: file, tag: null, yaml: ""},
    step: "columns",
    curve: {key: "", points: new Map()},
    applied: null,
    toBuild: [],
    typed: null,
  };
}

/** For a table with a policy in a file. */
export function openFlow(
  database: string,
  table: FoundTable,
  columns: TableDraft,
  policy: string,
  base: Base,
): Flow {
  return {
    database,
    table,
    columns,
    policy,
    text: base.yaml,
    base,
    step: "columns",
    curve: {key: "", points: new Map()},
    applied: null,
    toBuild: [],
    typed: null,
  };
}

export const readingOf = (flow: Flow): FormReading => readForm(flow.text, flow.policy);

export function formOf(flow: Flow): PolicyForm | null {
  const reading = readingOf(flow);
  return "form" in reading ? reading.form : null;
}

/** The flow after a change of the form. */
export const withFormOf = (flow: Flow, form: PolicyForm): Flow =>
  ({...flow, text: withForm(flow.text, flow.policy, form), policy: form.name});

/** The flow after somebody typed: the policy may have got another name. */
export function withText(flow: Flow, text: string): Flow {
  const names = policyNames(text);
  if (names.length === 0 || names.includes(flow.policy)) return {...flow, text};
  const [schema, name] = [flow.table.schema, flow.table.name];
  const same = names.find((it) => {
    const reading = readForm(text, it);
    return "form" in reading && reading.form.table[0] === schema && reading.form.table[1] === name;
  });
  return {...flow, text, policy: same ?? flow.policy};
}

/** Curves of texts that differ in k, and readers alone are the same. */
export function curveKeyOf(text: string, policy: string): string {
  const reading = readForm(text, policy);
  if (!("form" in reading)) return JSON.stringify([policy, text]);
  const same = withForm(text, policy, {...reading.form, k: 2, readers: [], usesGrants: false});
  return JSON.stringify([policy, same]);
}

export const curveKey = (flow: Flow) => curveKeyOf(flow.text, flow.policy);

/** How the table stands, with what was done here. */
export function stateNow({applied, toBuild, table}: Flow): FoundTable["state"] {
  if (toBuild.length > 0) return "closed";
  return applied === null ? table.state : "protected";
}

export const isChanged = (flow: Flow) => flow.base.tag === null || flow.text !== flow.base.yaml;

/** Why a step can't be worked on yet, as a sentence; null: it can. */
export function barrier(flow: Flow, step: Step): string | null {
  if (step === "connect") {
    const isBuilt = flow.applied !== null && flow.toBuild.length === 0;
    if (isBuilt || (!isChanged(flow) && stateNow(flow) === "protected")) return null;
    return "The policy has to be applied and built before readers can connect.";
  }
  return null;
}
