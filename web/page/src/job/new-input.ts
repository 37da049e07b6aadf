// The draft after a table has been brought: every column gets a class and a hierarchy by what is known of it.
import type {ColumnInfo, TableInfo} from "../page-jobs-api.js";
import type {Draft, Samples} from "./draft.js";
import type {JobForm} from "./form.js";
import {jobNameOf, kNewName} from "./names.js";
import {recordsOf, type Separator} from "./separated.js";
import {attributeOf, kNullOfTables} from "./suggestions.js";

const kSampled = 5000;

export function samplesOf(text: string, separator: Separator, isCut: boolean): Samples {
  return {text, isCut, records: recordsOf(text, separator, kSampled + 1, isCut)};
}

/** A name that somebody chose stays. */
function nameAfter(form: JobForm, source: string): string {
  const before = form.file?.name ?? form.table?.name;
  const isSuggested = form.name === kNewName || (before !== undefined && form.name === jobNameOf(before));
  return isSuggested ? jobNameOf(source) : form.name;
}

export function withUpload(
  was: Draft,
  file: NonNullable<JobForm["file"]>,
  {text, isCut}: Pick<Samples, "text" | "isCut">,
  {columns, rows}: TableInfo,
): Draft {
  const samples = samplesOf(text, file.separator, isCut);
  const [header = [], ...records] = samples.records;
  const valuesOf = (column: ColumnInfo) => {
    const at = header.indexOf(column.name);
    return at < 0 ? [] : records.map((it) => it[at] ?? "");
  };
  return {
    ...was,
    form: {
      ...was.form,
      name: nameAfter(was.form, file.name),
      file,
      table: null,
      nullText: columns.some((it) => it.empty > 0) ? "" : null,
      attributes: columns.map((it) => attributeOf(it, rows, "", valuesOf(it))),
    },
    columns,
    rows,
    samples,
    notes: [],
  };
}

export function withTable(was: Draft, table: NonNullable<JobForm["table"]>, columns: ColumnInfo[]): Draft {
  const attributes = columns.map((it) => attributeOf(it, -1, kNullOfTables));
  const name = nameAfter(was.form, table.name.replace(/^[^.]*\./, ""));
  return {
    ...was,
    form: {...was.form, name, file: null, table, nullText: null, attributes},
    columns,
    rows: 0,
    samples: {text: "", isCut: false, records: []},
    notes: [],
  };
}
