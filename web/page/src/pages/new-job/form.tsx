// The form, from top to bottom: a table, its columns, what must hold for the result, and where it goes.
import {useEffect, useRef, useState} from "preact/hooks";
import {api} from "../../api.js";
import {pageJobs, type TableInfo} from "../../page-jobs-api.js";
import {saveText} from "../../download.js";
import type {Draft} from "../../job/draft.js";
import {generalizationOf, usesTables, type JobForm} from "../../job/form.js";
import {formMistake} from "../../job/mistakes.js";
import {withTable, withUpload} from "../../job/new-input.js";
import {columnOfTable, withValues} from "../../job/suggestions.js";
import {separatorWord, type Separator} from "../../job/separated.js";
import {jobText, yamlOf} from "../../job/text.js";
import {Button, Card, Trouble, useAction} from "../../ui.js";
import {count} from "../../ui/format.js";
import {Columns} from "./columns.js";
import {dropUploads, uploadedTables} from "./form-tables.js";
import {Goal} from "./goal.js";
import {HierarchyFiles, NewFiles} from "./input-files.js";
import {JobsText} from "./job-text.js";
import {Preview, UniqueRecords} from "./preview.js";
import {checkedStart, Refusal, StartTrouble, useStart} from "./start.js";
import {TableChoice, TableValues, Target} from "./tables.js";

/** Uploads the tables that were edited here, for this run alone. */
async function started(form: JobForm): Promise<string> {
  const tables = await uploadedTables(form);
  try {
    return await checkedStart(jobText(form, tables));
  } finally {
    dropUploads(Object.values(tables));
  }
}

const uploadsOf = (form: JobForm) => [
  ...(form.file ? [form.file.id] : []),
  ...form.attributes.flatMap(it => (it.hierarchy.upload ? [it.hierarchy.upload.id] : [])),
];

interface Props {
  draft: Draft;
  mayUseTables: boolean;
  change: (change: (was: Draft) => Draft) => void;
}

/** Nothing is there yet. */
function Begin({draft, mayUseTables, change}: Props) {
  const takeTable = async (database: string, name: string) => {
    const found = (await api.columns(database, name)).columns.map(columnOfTable);
    dropUploads(uploadsOf(draft.form));
    change((was) => withTable(was, {database, name}, found));
  };
  return (
    <>
      <Card title="A file">
        <NewFiles change={change} />
      </Card>
      {mayUseTables ? (
        <Card title="Or a table of a database">
          <TableChoice onChoose={takeTable} />
        </Card>
      ) : null}
    </>
  );
}

function Input({draft, change, clear}: Omit<Props, "mayUseTables"> & {clear: () => void}) {
  const {form, columns, rows, samples} = draft;
  const latest = useRef(draft);
  latest.current = draft;
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
  const [separator, setSeparator] = useState<Separator | null>(null);
  const reread = useAction(async () => {
    const file = form.file;
    if (!file || !separator) return;
    const found = await pageJobs.columns(file.id, separatorWord(separator));
    change((was) => withUpload(was, {...file, separator}, samples, found));
  });
  useEffect(() => {
    if (separator && separator !== form.file?.separator) reread.run();
  }, [separator]);
  return (
    <Card
      title={form.table ? `${form.table.name} of ${form.table.database}` : form.file?.name}
      actions={
        <Button
          kind="quiet"
          onClick={() => {
            dropUploads(uploadsOf(form));
            clear();
          }}
        >
          Remove it
        </Button>
      }
    >
      <p>
        {rows > 0 ? `${count(rows)} records, ` : ""}
        {columns.length} columns
      </p>
      {form.file ? (
        <>
          <Preview samples={samples.records} separator={form.file.separator} onSeparator={setSeparator} />
          <Trouble problem={reread.problem} />
        </>
      ) : null}
      {form.table ? (
        <TableValues
          key={`${form.table.database} ${form.table.name}`}
          table={form.table}
          onLooked={(found) => takeValues(form.table, found)}
        />
      ) : null}
    </Card>
  );
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
}: Props & {
  takesFocus: boolean;
  clear: () => void;
  onEdit: (form: JobForm) => Promise<void>;
}) {
  const [password, setPassword] = useState("");
  const actions = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (takesFocus) actions.current?.querySelector<HTMLButtonElement>("[data-edit]")?.focus();
  }, []);
  const {form, columns, rows} = draft;
  const set = (own: Partial<JobForm>) => change((was) => ({...was, form: {...was.form, ...own}}));
  const start = useStart(async () => {
    const mistake = formMistake(form);
    if (mistake !== null) throw new Refusal(mistake);
    const secret = password;
    setPassword("");
    if (usesTables(form)) await api.prove(secret);
    return started(form);
  });
  const toText = useAction(() => onEdit(form));
  if (!form.file && !form.table) {
    return (
      <div class="stack">
        <Begin draft={draft} mayUseTables={mayUseTables} change={change} />
      </div>
    );
  }
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        start.run();
      }}
    >
      <Input
        draft={draft}
        change={change}
        clear={() => {
          clear();
          start.forget();
        }}
      />
      <Card title="Columns">
        <HierarchyFiles draft={draft} change={change} />
        <Columns
          attributes={form.attributes}
          infos={columns}
          rows={rows || -1}
          generalization={generalizationOf(form)}
          edit={(attributes) => set({attributes})}
        />
        <UniqueRecords samples={draft.samples.records} attributes={form.attributes} />
      </Card>
      <Card title="Privacy and search">
        <Goal form={form} set={set} />
      </Card>
      <Card title="Where it is published">
        <Target
          form={form}
          set={set}
          mayUseTables={mayUseTables}
          password={password}
          setPassword={setPassword}
        />
      </Card>
      <p class="actions" ref={actions}>
        <Button kind="primary" type="submit" isBusy={start.isBusy}>
          {start.isBusy ? "starting …" : "Run the job"}
        </Button>
        <Button onClick={() => saveText(`${form.name}.yaml`, yamlOf(form))}>Save the job's text</Button>
        <Button data-edit isBusy={toText.isBusy} onClick={toText.run}>
          Edit the text
        </Button>
      </p>
      <StartTrouble start={start} />
      <Trouble problem={toText.problem} />
      <JobsText form={form} />
    </form>
  );
}
