// A job over an uploaded table or, for whom the configuration lists, over a table of a database: classes of its columns, hierarchies, what is asked of the result. It becomes the text that `pgveil anonymize` reads.
import {useEffect, useRef, useState} from "preact/hooks";
import {api, type SparkOffer} from "../api.js";
import {desk, type TableInfo} from "../desk-api.js";
import {saveText} from "../download.js";
import {formDraft, kMondrian, kNewForm, usesTables, type Draft, type JobForm} from "../job/form.js";
import {formMistake} from "../job/mistakes.js";
import {attributeOf, columnOfTable, kNullOfTables, withValues} from "../job/suggestions.js";
import {jobText, tablesOf, yamlOf} from "../job/text.js";
import {linkToRun} from "../route.js";
import {count} from "../table.js";
import {Trouble, useAction} from "../ui.js";
import {sourceOf, upload} from "../upload.js";
import {Column} from "./new-job/column.js";
import {Goal} from "./new-job/goal.js";
import {JobsText} from "./new-job/job-text.js";
import {TableChoice, TableValues, Target} from "./new-job/tables.js";
import {UploadField} from "./new-job/upload-field.js";

/** Uploads the tables that were edited here; what they were before is dropped. */
async function started(form: JobForm): Promise<string> {
  const tables: Record<string, string> = {};
  try {
    for (const [name, text] of Object.entries(tablesOf(form))) tables[name] = await upload(sourceOf(name, text), () => {});
    const job = jobText(form, tables);
    const {error} = await desk.check(job);
    if (error) throw new Error(`${error.message}${error.hint ? ` (${error.hint})` : ""}`);
    return (await desk.start(job)).id;
  } finally {
    for (const id of Object.values(tables)) void desk.dropUpload(id).catch(() => {});
  }
}

const dropFile = (form: JobForm) => {
  if (form.file) void desk.dropUpload(form.file.id).catch(() => {});
};

function withUpload(was: Draft, file: NonNullable<JobForm["file"]>, {columns, rows}: TableInfo): Draft {
  const nullText = columns.some(it => it.empty > 0) ? "" : null;
  return {form: {...was.form, file, table: null, nullText, attributes: columns.map(it => attributeOf(it, rows, ""))}, columns, rows};
}

const kStart: Draft = {form: kNewForm, columns: [], rows: 0};

export function NewJob({mayUseTables, offer}: {mayUseTables: boolean; offer: SparkOffer | null}) {
  const [draft, setDraft] = useState(formDraft.read);
  const [separator, setSeparator] = useState(",");
  const [password, setPassword] = useState("");
  const [refusal, setRefusal] = useState<string | null>(null);
  const latest = useRef(draft);
  latest.current = draft;
  useEffect(() => formDraft.write(draft), [draft]);
  const {form, columns, rows} = draft;
  const set = (change: Partial<JobForm>) => setDraft(was => ({...was, form: {...was.form, ...change}}));
  const bring = async (id: string, name: string) => {
    try {
      const found = await desk.columns(id, separator);
      setDraft(was => withUpload(was, {id, name, separator}, found));
    } catch (thrown) {
      await desk.dropUpload(id).catch(() => {});
      throw thrown;
    }
  };
  const takeTable = async (database: string, name: string) => {
    const found = (await api.columns(database, name)).columns.map(columnOfTable);
    dropFile(form);
    const attributes = found.map(it => attributeOf(it, -1, kNullOfTables));
    setDraft(was => ({form: {...was.form, file: null, table: {database, name}, nullText: null, attributes}, columns: found, rows: 0}));
  };
  // A look takes a while: what was chosen meanwhile stays, and another table is not given these values.
  const takeValues = (table: JobForm["table"], found: TableInfo) => {
    const was = latest.current;
    if (was.form.table !== table) return [];
    const {hidden, columns: known, ...change} = withValues(was.form.attributes, was.columns, was.form.nullText, found);
    setDraft({form: {...was.form, ...change}, columns: known, rows: found.rows});
    return hidden;
  };
  const start = useAction(async () => {
    const mistake = formMistake(form, offer);
    setRefusal(mistake);
    if (mistake !== null) return;
    const secret = password;
    setPassword("");
    if (usesTables(form)) await api.prove(secret);
    try {
      location.hash = linkToRun(await started(form));
    } catch (thrown) {
      if (thrown instanceof Error && thrown.constructor === Error) setRefusal(thrown.message);
      else throw thrown;
    }
  });
  const clear = () => {
    dropFile(form);
    setDraft(kStart);
    setRefusal(null);
  };
  return (
    <section>
      <h1>Set up a job</h1>
      <p class="hint">
        A table is brought here as separated text with a header (CSV in UTF-8, 64 MiB at most), kept for an hour for you alone, and removed. Columns are not
        published unless you say so.
      </p>
      <form onSubmit={event => { event.preventDefault(); start.run(); }}>
        <div class="row">
          <label>
            Separator
            <select value={separator} onChange={it => setSeparator(it.currentTarget.value)}>
              <option value=",">comma</option><option value=";">semicolon</option><option value="tab">tab</option>
            </select>
          </label>
          <UploadField label="Table" onDone={bring} />
        </div>
        {mayUseTables ? <TableChoice onChoose={takeTable} /> : null}
        {form.file || form.table ? (
          <>
            <p>
              <strong>{form.table ? `${form.table.name} of ${form.table.database}` : form.file?.name}</strong>{rows > 0 ? `, ${count(rows)} records` : ""}, {columns.length} columns{" "}
              <button type="button" onClick={clear}>Remove it</button>
            </p>
            {form.table ? <TableValues key={`${form.table.database} ${form.table.name}`} table={form.table}
                                        onLooked={found => takeValues(form.table, found)} /> : null}
            <h2>Columns</h2>
            {form.attributes.map((attribute, at) => (
              <Column key={attribute.name} attribute={attribute} info={columns[at]} rows={rows || -1} isMondrian={form.algorithm === kMondrian}
                      edit={next => set({attributes: form.attributes.map((it, other) => (other === at ? next : it))})} />
            ))}
            <Goal form={form} offer={offer} set={set} />
            {mayUseTables ? <Target form={form} set={set} password={password} setPassword={setPassword} /> : null}
            <p class="actions">
              <button type="submit" disabled={start.isBusy}>{start.isBusy ? "starting …" : "Run the job"}</button>
              <button type="button" onClick={() => saveText(`${form.name}.yaml`, yamlOf(form))}>Save the job's text</button>
            </p>
            {refusal ? <p class="trouble" role="alert">{refusal}</p> : null}
            <Trouble problem={start.problem}>{start.problem?.status === 409 ? <a href="#/jobs">Jobs: what runs now</a> : null}</Trouble>
            <JobsText form={form} />
          </>
        ) : null}
      </form>
    </section>
  );
}
