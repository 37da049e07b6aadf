// What is suggested for a column, by what is known of it: its class, and a hierarchy.
import type {TableColumn} from "../api.js";
import type {ColumnInfo, TableInfo} from "../page-jobs-api.js";
import {looksLikeCodes} from "./estimate.js";
import {kNewFixedLevel} from "./differential-privacy.js";
import type {Attribute, Class, Hierarchy} from "./form.js";
import {levelsByFrequency} from "./frequency.js";
import {kNoModels} from "./models.js";

const kIdentifyingRows = 20;

/** Nothing that was not looked at is published: what might point at a person is hidden, or generalized. */
export function suggestedClass(column: ColumnInfo, rows: number): Class {
  const isGeneral = column.hints.every(it => /^a (date|place) /.test(it));
  if (!isGeneral || (column.distinct === rows && rows >= kIdentifyingRows)) return "identifier";
  return "quasi_identifier";
}

/** Widths of intervals that divide the range into about twenty, four and two parts. */
export function suggestedWidths(least: number, greatest: number): string {
  const wanted = Math.max(greatest - least, 1e-9) / 20;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const base = Number(([1, 2, 5, 10].find(it => it * power >= wanted) ?? 10) * power);
  return [base, base * 5, base * 10].map(it => String(Number(it.toPrecision(6)))).join(", ");
}

/** The values, and what stands for records without one, as a table of levels. */
function levelRows(column: ColumnInfo, nullText: string): string[][] {
  const known = column.values ?? [];
  const hasNull = column.empty > 0 && !known.includes(nullText);
  const values = hasNull ? [nullText, ...known] : known;
  if (!column.counts) return values.map(it => [it, "*"]);
  return levelsByFrequency(values, hasNull ? [column.empty, ...column.counts] : column.counts);
}

const kNamesOfCodes = /zip|post(al)?_?code|plz|phone|icd|(^|_)code(_|$)/i;

const isOfCodes = (column: ColumnInfo, samples: readonly string[]) =>
  looksLikeCodes(samples.length > 0 ? samples : (column.values ?? [])) || kNamesOfCodes.test(column.name);

/** nullText: what stands for records without a value. samples: some values, if not all are known. */
export function suggestedHierarchy(
  column: ColumnInfo,
  nullText: string,
  samples: readonly string[] = [],
): Hierarchy {
  const plan: Hierarchy = {
    kind: "hide",
    widths: "10, 50, 100",
    steps: ["month", "year"],
    rows: levelRows(column, nullText),
    upload: null,
    fixed: kNewFixedLevel,
  };
  if (column.kind === "number") {
    plan.kind = "intervals";
    plan.widths = suggestedWidths(column.least ?? 0, column.greatest ?? 100);
  } else if (column.kind === "date") {
    plan.kind = "dates";
  } else if (isOfCodes(column, samples)) {
    plan.kind = "masking";
  } else if (plan.rows.length > 0 && column.values !== null) {
    plan.kind = "table";
  }
  return plan;
}

export function attributeOf(
  column: ColumnInfo,
  rows: number,
  nullText: string,
  samples: readonly string[] = [],
): Attribute {
  return {
    name: column.name,
    class: suggestedClass(column, rows),
    isChosen: false,
    hierarchy: suggestedHierarchy(column, nullText, samples),
    ...kNoModels,
  };
}

// ---- of a table of a database

export const kNullOfTables = "NULL";

/** As of an upload, without its values: what names a row counts as hinted at. */
export function columnOfTable(column: TableColumn): ColumnInfo {
  const isOfRows = column.key || column.unique || column.nearly_unique;
  return {
    name: column.name,
    distinct: column.distinct ?? 0,
    empty: 0,
    kind: column.kind,
    values: null,
    type: column.type,
    isEstimate: true,
    hints: isOfRows ? ["a row identifier", ...column.hints] : column.hints,
  };
}

/** A text for NULL that no value is, as far as they are known; null: the usual one will do. */
export function nullTextOf(columns: readonly ColumnInfo[]): string | null {
  const isTaken = (text: string) => columns.some(it => it.values?.includes(text));
  if (!isTaken(kNullOfTables)) return null;
  for (let at = 1;; at++) {
    const text = `${kNullOfTables} (${at})`;
    if (!isTaken(text)) return text;
  }
}

const isSame = (one: Hierarchy, other: Hierarchy) => JSON.stringify(one) === JSON.stringify(other);

/** What somebody filled in stays; what was only suggested is suggested anew. */
function hierarchyWith(
  was: Hierarchy,
  before: ColumnInfo,
  now: ColumnInfo,
  nullText: {before: string; now: string},
): Hierarchy {
  const suggested = suggestedHierarchy(now, nullText.now);
  const old = suggestedHierarchy(before, nullText.before);
  if (isSame(was, old)) return suggested;
  return {
    ...was,
    widths: was.widths === old.widths ? suggested.widths : was.widths,
    rows: was.rows.length === 0 || isSame({...old, rows: was.rows}, old) ? suggested.rows : was.rows,
  };
}

export interface Looked {
  columns: ColumnInfo[];
  attributes: Attribute[];
  nullText: string | null;
  /** Columns whose class was a suggestion, and that are identifiers now. */
  hidden: string[];
}

/** A table's columns after its values were looked at. A class that nobody chose can only become a stricter
 * one. */
export function withValues(
  attributes: readonly Attribute[],
  columns: readonly ColumnInfo[],
  was: string | null,
  found: TableInfo,
): Looked {
  const nullText = nullTextOf(found.columns);
  const texts = {before: was ?? kNullOfTables, now: nullText ?? kNullOfTables};
  const hidden: string[] = [];
  const made = found.columns.map((own): [ColumnInfo, Attribute] => {
    const before = columns.find((it) => it.name === own.name);
    const attribute = attributes.find((it) => it.name === own.name);
    if (!before || !attribute) return [own, attributeOf(own, found.rows, texts.now)];
    const now: ColumnInfo = {...own, hints: [...new Set([...before.hints, ...own.hints])]};
    const isHidden =
      !attribute.isChosen &&
      attribute.class !== "identifier" &&
      suggestedClass(now, found.rows) === "identifier";
    if (isHidden) hidden.push(own.name);
    const kept: Class = isHidden ? "identifier" : attribute.class;
    return [
      now,
      {...attribute, class: kept, hierarchy: hierarchyWith(attribute.hierarchy, before, now, texts)},
    ];
  });
  return {
    columns: made.map(([column]) => column),
    attributes: made.map(([, attribute]) => attribute),
    nullText,
    hidden,
  };
}
