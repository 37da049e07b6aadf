// Files that are dropped on the form: the table, and any number of hierarchies, which find their columns by
// their names.
import {ApiError} from "../../api.js";
import type {Draft, FileNote} from "../../job/draft.js";
import {columnOfFile, missingValues, tableAmong} from "../../job/hierarchy-files.js";
import {recordsOf, separatorWord, sniffedSeparator} from "../../job/separated.js";
import {withUpload} from "../../job/new-input.js";
import {pageJobs, type TableInfo} from "../../page-jobs-api.js";
import {problemFrom} from "../../ui.js";
import {dropUploads} from "./form-tables.js";
import {bring, FileField} from "./upload-field.js";

const kMostRows = 100_000;

type Change = (change: (was: Draft) => Draft) => void;

/** Uploads a hierarchy for the column that it is named after. */
async function takeHierarchy(file: File, columns: TableInfo["columns"], change: Change): Promise<FileNote> {
  const column = columnOfFile(file.name, columns.map(it => it.name));
  if (column === null)
    return {isGood: false, text: `${file.name} has the name of no column. Choose "a file" in the row of its column.`};
  const {id, name, head, isCut} = await bring(file, () => {});
  const separator = sniffedSeparator(head, isCut);
  const old: string[] = [];
  change((was) => ({
    ...was,
    form: {
      ...was.form,
      attributes: was.form.attributes.map((it) => {
        if (it.name !== column) return it;
        if (it.hierarchy.upload) old.push(it.hierarchy.upload.id);
        const hierarchy = {...it.hierarchy, kind: "file" as const, upload: {id, name, separator}};
        return {...it, class: "quasi_identifier" as const, isChosen: true, hierarchy};
      }),
    },
  }));
  dropUploads(old);
  const values = columns.find(it => it.name === column)?.values ?? null;
  const missing = isCut ? [] : missingValues(recordsOf(head, separator, kMostRows), values);
  if (missing.length === 0) return {isGood: true, text: `${file.name} generalizes ${column}.`};
  const some = missing.slice(0, 3).map(it => `"${it}"`).join(", ");
  const rest = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  return {isGood: false, text: `${file.name} lacks values of ${column}: ${some}${rest}. The job would fail.`};
}

async function takeHierarchies(
  files: readonly File[],
  columns: TableInfo["columns"],
  change: Change,
): Promise<void> {
  const notes: FileNote[] = [];
  for (const file of files) {
    try {
      notes.push(await takeHierarchy(file, columns, change));
    } catch (thrown) {
      notes.push({isGood: false, text: `${file.name} was not taken: ${problemFrom(thrown).message}.`});
    }
  }
  change((was) => ({...was, notes}));
}

async function takeTable(file: File, onShare: (share: number) => void, change: Change): Promise<TableInfo> {
  const {id, name, head, isCut} = await bring(file, onShare);
  try {
    const separator = sniffedSeparator(head, isCut);
    const found = await pageJobs.columns(id, separatorWord(separator));
    change((was) => withUpload(was, {id, name, separator}, {text: head, isCut}, found));
    return found;
  } catch (thrown) {
    await pageJobs.dropUpload(id).catch(() => {});
    throw thrown;
  }
}

export function NewFiles({change}: {change: Change}) {
  return (
    <FileField
      label="Table"
      isWide
      isMultiple
      hint="Drop a CSV file here, and its hierarchy files with it. The separator is found by itself."
      take={async (files, onShare) => {
        const {table, others} = tableAmong(files);
        if (!table) {
          const hint = "a file with \"hierarchy\" in its name counts as a hierarchy";
          throw new ApiError({status: 400, message: "these files are all hierarchies; bring their table first", hint});
        }
        const {columns} = await takeTable(table, onShare, change);
        await takeHierarchies(others, columns, change);
      }}
    />
  );
}

export function HierarchyFiles({draft, change}: {draft: Draft; change: Change}) {
  return (
    <>
      <FileField
        label="Hierarchy files"
        isWide
        isMultiple
        hint="Drop as many as you have. Each finds its column by its name, as adult_hierarchy_age.csv does."
        take={(files) => takeHierarchies(files, draft.columns, change)}
      />
      {draft.notes.length > 0 ? (
        <div role="status">
          <ul class="notes">
            {draft.notes.map((it) => (
              <li key={it.text} class={it.isGood ? "fine" : "warning"}>
                {it.text}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </>
  );
}
