// Writes what a form says of a policy into its text, part by part: comments, layout and keys that the form
// does not have stay where they are.
import {
  policyNode,
  readForm,
  type ColumnClass,
  type FormColumn,
  type Level,
  type PolicyForm,
} from "./form.js";
import {entryOf, readYaml, withEntry, written, writtenList, type MapNode} from "./yaml.js";

function writtenLevel(level: Level): string {
  if (level.kind === "other") return level.text;
  const column = level.column === null ? "" : `, column: ${written(level.column)}`;
  switch (level.kind) {
    case "width":
      return `{width: ${level.width}${column}}`;
    case "period":
      return `{period: ${level.period}${column}}`;
    case "prefix":
      return `{prefix: ${level.length}${column}}`;
  }
}

/** Null: there are none. */
export function writtenLevels(levels: readonly Level[]): string | null {
  const [first, ...others] = levels;
  if (!first) return null;
  return others.length === 0 ? writtenLevel(first) : `[${levels.map(writtenLevel).join(", ")}]`;
}

export function writtenColumn({class: own, levels}: Pick<FormColumn, "class" | "levels">): string {
  const coarser = writtenLevels(levels);
  return coarser === null ? `{class: ${own}}` : `{class: ${own}, generalize: ${coarser}}`;
}

export const writtenTable = ([schema, name]: [string, string]) => {
  const isPlain = (it: string) => /^[A-Za-z_][A-Za-z0-9_$]*$/.test(it);
  return isPlain(schema) && isPlain(name) ? `${schema}.${name}` : writtenList([schema, name]);
};

/** Keys of a column that only one class has. */
const kOfClass: Record<string, FormColumn["class"]> = {
  generalize: "quasi_identifier",
  weight: "quasi_identifier",
  l_diversity: "sensitive",
  t_closeness: "sensitive",
};

type Within = (root: MapNode) => MapNode | null;

/** Changes one map of a text; each change reads the text again, so that places are right. */
function changed(text: string, within: Within, change: (text: string, map: MapNode) => string): string {
  const root = readYaml(text);
  const map = root.kind === "map" ? within(root) : null;
  return map ? change(text, map) : text;
}

const kOrder = ["name", "database", "table", "k", "unit", "readers", "access", "priority"];

/** The key behind which a new key of a policy comes. */
function keyBefore(map: MapNode, key: string): string | undefined {
  const before = kOrder.slice(0, kOrder.indexOf(key)).reverse();
  return before.find(it => map.entries.some(entry => entry.key.text === it));
}

function withKey(text: string, policy: string, key: string, value: string | null): string {
  return changed(
    text,
    root => policyNode(root, policy),
    (now, map) => withEntry(now, map, key, value, keyBefore(map, key)),
  );
}

const columnsOf = (policy: string): Within => (root) => {
  const found = policyNode(root, policy);
  const columns = found ? entryOf(found, "columns") : null;
  return columns?.kind === "map" ? columns : null;
};

const columnOf = (policy: string, column: string): Within => (root) => {
  const found = entryOf(columnsOf(policy)(root) ?? undefined, column);
  return found?.kind === "map" ? found : null;
};

function withOtherClass(text: string, within: Within, now: ColumnClass): string {
  let out = changed(text, within, (it, map) => withEntry(it, map, "class", now));
  for (const [key, own] of Object.entries(kOfClass))
    if (own !== now) out = changed(out, within, (it, map) => withEntry(it, map, key, null));
  return out;
}

function withColumn(text: string, policy: string, was: FormColumn | undefined, now: FormColumn): string {
  if (!was)
    return changed(text, columnsOf(policy), (it, map) => withEntry(it, map, now.name, writtenColumn(now)));
  const within = columnOf(policy, now.name);
  let out = was.class === now.class ? text : withOtherClass(text, within, now.class);
  const coarser = now.class === "quasi_identifier" ? writtenLevels(now.levels) : null;
  const isSame = was.class === now.class && writtenLevels(was.levels) === coarser;
  if (!isSame) out = changed(out, within, (it, map) => withEntry(it, map, "generalize", coarser));
  return out;
}

const sameTexts = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((it, at) => it === b[at]);

/** The text after a change of the form. REQUIRES: readForm(text, policy) gives a form. */
export function withForm(text: string, policy: string, now: PolicyForm): string {
  const reading = readForm(text, policy);
  if (!("form" in reading)) return text;
  const was = reading.form;
  let out = text;
  const put = (key: string, value: string | null) => {
    out = withKey(out, policy, key, value);
  };
  if (was.k !== now.k) put("k", String(now.k));
  if (was.unit !== now.unit) put("unit", now.unit === null ? null : written(now.unit));
  if (was.usesGrants !== now.usesGrants || !sameTexts(was.readers, now.readers)) {
    put("readers", now.usesGrants || now.readers.length === 0 ? null : writtenList(now.readers));
    put("access", now.usesGrants ? "from_database" : null);
  }
  const known = new Map(was.columns.map(it => [it.name, it]));
  const kept = new Set(now.columns.map(it => it.name));
  for (const column of now.columns) out = withColumn(out, policy, known.get(column.name), column);
  for (const {name} of was.columns)
    if (!kept.has(name))
      out = changed(out, columnsOf(policy), (it, map) => withEntry(it, map, name, null));
  if (!sameTexts(was.priority, now.priority))
    put("priority", now.priority.length === 0 ? null : writtenList(now.priority));
  if (was.name !== now.name) put("name", written(now.name));
  return out;
}

/** A text for a policy that is new. reasons: of its columns' classes, which become comments. */
export function newText(form: PolicyForm, reasons: ReadonlyMap<string, string>): string {
  const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f]+/g, " ");
  const columns = form.columns.map((it) => {
    const reason = reasons.get(it.name);
    const line = `      ${written(it.name)}: ${writtenColumn(it)}`;
    return reason ? `      # ${oneLine(reason)}\n${line}` : line;
  });
  const lines = [
    "version: 1",
    "policies:",
    `  - name: ${written(form.name)}`,
    `    database: ${written(form.database)}`,
    `    table: ${writtenTable(form.table)}`,
    `    k: ${form.k}`,
    ...(form.unit === null ? [] : [`    unit: ${written(form.unit)}`]),
    ...(form.readers.length === 0 ? [] : [`    readers: ${writtenList(form.readers)}`]),
    ...(form.usesGrants ? ["    access: from_database"] : []),
    ...(form.priority.length === 0 ? [] : [`    priority: ${writtenList(form.priority)}`]),
    "    columns:",
    ...columns,
  ];
  return `${lines.join("\n")}\n`;
}
