// The form: a table, classes of its columns, hierarchies, what is asked of the result.
import {useEffect, useRef, useState} from "preact/hooks";
import {api} from "../../api.js";
import {pageJobs, type TableInfo} from "../../page-jobs-api.js";
import {saveText} from "../../download.js";
import type {Draft} from "../../job/draft.js";
import {kMondrian, usesTables, type JobForm} from "../../job/form.js";
import {formMistake} from "../../job/mistakes.js";
import {attributeOf, columnOfTable, kNullOfTables, withValues} from "../../job/suggestions.js";
import {jobText, yamlOf} from "../../job/text.js";
import {count} from "../../table.js";
import {Trouble, useAction} from "../../ui.js";
import {Column} from "./column.js";
import {dropUploads, uploadedTables} from "./form-tables.js";
import {Goal} from "./goal.js";
import {JobsText} from "./job-text.js";
import {checkedStart, Refusal, StartTrouble, useStart} from "./start.js";
import {TableChoice, TableValues, Target} from "./tables.js";
import {UploadField} from "./upload-field.js";

/** Uploads the tables that were edited here, for this run alone. */
async function started(form: JobForm): Promise<string> {
  const tables = await uploadedTables(form);
  try {
    return await checkedStart(jobText(form, tables));
  } finally {
    dropUploads(Object.values(tables));
  }
}

const dropFile = (form: JobForm) => dropUploads(form.file ? [form.file.id] : []);

function withUpload(was: Draft, file: NonNullable<JobForm["file"]>, {columns, rows}: TableInfo): Draft {
  const nullText = columns.some(it => it.empty > 0) ? "" : null;
  return {
    ...was,
    form: {
      ...was.form,
      file,
      table: null,
      nullText,
      attributes: columns.map((it) => attributeOf(it, rows, "")),
    },
    columns,
    rows,
  };
}

/** clear: everything that was filled in. onEdit: its text is edited from now on. takesFocus: the button for
 * that, when it comes. */
export function FormOfJob({
  draft,
  mayUseTables,
  takesFocus,
  change,
  clear,
  onEdit,
}: {
  draft: Draft;
  mayUseTables: boolean;
  takesFocus: boolean;
  change: (change: (was: Draft) => Draft) => void;
  clear: () => void;
  onEdit: (form: JobForm) => Promise<void>;
}) {
  const [separator, setSeparator] = useState(",");
  const [password, setPassword] = useState("");
  const editButton = useRef<HTMLButtonElement>(null);
  const latest = useRef(draft);
  latest.current = draft;
  useEffect(() => {
    if (takesFocus) editButton.current?.focus();
  }, []);
  const {form, columns, rows} = draft;
  const set = (own: Partial<JobForm>) => change((was) => ({...was, form: {...was.form, ...own}}));
  const bring = async (id: string, name: string) => {
    try {
      const found = await pageJobs.columns(id, separator);
      change((was) => withUpload(was, {id, name, separator}, found));
    } catch (thrown) {
      await pageJobs.dropUpload(id).catch(() => {});
      throw thrown;
    }
  };
  const takeTable = async (database: string, name: string) => {
    const found = (await api.columns(database, name)).columns.map(columnOfTable);
    dropFile(form);
    const attributes = found.map((it) => attributeOf(it, -1, kNullOfTables));
    change((was) => ({
      ...was,
      form: {...was.form, file: null, table: {database, name}, nullText: null, attributes},
      columns: found,
      rows: 0,
    }));
  };
  // A look takes a while: what was chosen meanwhile stays, and another table is not given these values.
  const takeValues = (table: JobForm["table"], found: TableInfo) => {
    const was = latest.current;
    if (was.form.table !== table) return [];
    const {
      hidden,
      columns: known,
      ...own
    } = withValues(was.form.attributes, was.columns, was.form.nullText, found);
    change((now) => ({...now, form: {...was.form, ...own}, columns: known, rows: found.rows}));
    return hidden;
  };
  const start = useStart(async () => {
    const mistake = formMistake(form);
    if (mistake !== null) throw new Refusal(mistake);
    const secret = password;
    setPassword("");
    if (usesTables(form)) await api.prove(secret);
    return started(form);
  });
  const toText = useAction(() => onEdit(form));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start.run();
      }}
    >
      <div class="row">
        <label>
          Separator
          <select value={separator} onChange={(it) => setSeparator(it.currentTarget.value)}>
            <option value=",">comma</option>
            <option value=";">semicolon</option>
            <option value="tab">tab</option>
          </select>
        </label>
        <UploadField label="Table" onDone={bring} />
      </div>
      {mayUseTables ? <TableChoice onChoose={takeTable} /> : null}
      {form.file || form.table ? (
        <>
          <p>
            <strong>{form.table ? `${form.table.name} of ${form.table.database}` : form.file?.name}</strong>
            {rows > 0 ? `, ${count(rows)} records` : ""}, {columns.length} columns{" "}
            <button
              type="button"
              onClick={() => {
                dropFile(form);
                clear();
                start.forget();
              }}
            >
              Remove it
            </button>
          </p>
          {form.table ? (
            <TableValues
              key={`${form.table.database} ${form.table.name}`}
              table={form.table}
              onLooked={(found) => takeValues(form.table, found)}
            />
          ) : null}
          <h2>Columns</h2>
          {form.attributes.map((attribute, at) => (
            <Column
              key={attribute.name}
              attribute={attribute}
              info={columns[at]}
              rows={rows || -1}
              isMondrian={form.algorithm === kMondrian}
              edit={(next) =>
                set({attributes: form.attributes.map((it, other) => (other === at ? next : it))})
              }
            />
          ))}
          <Goal form={form} set={set} />
          {mayUseTables ? (
            <Target form={form} set={set} password={password} setPassword={setPassword} />
          ) : null}
          <p class="actions">
            <button type="submit" disabled={start.isBusy}>
              {start.isBusy ? "starting …" : "Run the job"}
            </button>
            <button type="button" onClick={() => saveText(`${form.name}.yaml`, yamlOf(form))}>
              Save the job's text
            </button>
            <button type="button" ref={editButton} disabled={toText.isBusy} onClick={toText.run}>
              Edit the text
            </button>
          </p>
          <StartTrouble start={start} />
          <Trouble problem={toText.problem} />
          <JobsText form={form} />
        </>
      ) : null}
    </form>
  );
}
