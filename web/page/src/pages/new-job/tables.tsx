// Tables of databases, for whom the configuration lists: which one is read, its values, and where the result
// is published.
import {useState} from "preact/hooks";
import {api} from "../../api.js";
import {pageJobs, type TableInfo} from "../../page-jobs-api.js";
import {usesTables, type JobForm} from "../../job/form.js";
import {resultNameOf} from "../../job/names.js";
import {kSeparatorNames} from "../../job/separated.js";
import {records} from "../../table.js";
import {count} from "../../ui/format.js";
import {Trouble, useAction, useLoaded} from "../../ui.js";
import {Password} from "./fields.js";

function useDatabases() {
  const loaded = useLoaded("databases", () => api.show("databases"));
  const names = loaded.value
    ? records(loaded.value)
        .map((row) => row["name"] ?? "")
        .filter((it) => it !== "pgveil")
    : [];
  return {names, problem: loaded.problem};
}

/** Its names come from the catalog: no row is read. */
export function TableChoice({onChoose}: {onChoose: (database: string, table: string) => Promise<void>}) {
  const databases = useDatabases();
  const [chosen, setDatabase] = useState("");
  const [table, setTable] = useState("");
  const database = chosen || databases.names[0] || "";
  const tables = useLoaded(`tables ${database}`, async () => (database === "" ? [] : api.tables(database)));
  const choose = useAction(() => onChoose(database, table));
  return (
    <div class="row">
      <label>
        Database
        <select
          value={database}
          onChange={(it) => {
            setDatabase(it.currentTarget.value);
            setTable("");
          }}
        >
          {databases.names.map((it) => (
            <option key={it} value={it}>
              {it}
            </option>
          ))}
        </select>
      </label>
      <label>
        Table of the database
        <select value={table} onChange={(it) => setTable(it.currentTarget.value)}>
          <option value="">choose one</option>
          {(tables.value ?? []).map((it) => (
            <option key={it} value={it}>
              {it}
            </option>
          ))}
        </select>
      </label>
      <button type="button" disabled={choose.isBusy || table === ""} onClick={choose.run}>
        Take this table
      </button>
      <Trouble problem={databases.problem ?? tables.problem ?? choose.problem} />
    </div>
  );
}

/** onLooked → columns whose class has become identifier by it. */
export function TableValues({
  table,
  onLooked,
}: {
  table: {database: string; name: string};
  onLooked: (found: TableInfo) => string[];
}) {
  const [password, setPassword] = useState("");
  const [outcome, setOutcome] = useState("");
  const look = useAction(async () => {
    const secret = password;
    setPassword("");
    setOutcome("");
    await api.prove(secret);
    const found = await pageJobs.tableColumns(table.database, table.name);
    const hidden = onLooked(found);
    const change =
      hidden.length > 0
        ? ` These columns are identifiers now, because every record has a different value: ${hidden.join(", ")}.`
        : "";
    setOutcome(`Looked at ${count(found.rows)} records of ${table.name}.${change}`);
  });
  const run = () => (password === "" ? undefined : look.run());
  return (
    <div class="stack">
      <p class="hint wide">
        Before a look, only names, types and statistics are known. A look reads the whole table. It shows how
        many different values each column has, their range, and the values themselves if there are few, so
        that you can edit hierarchies. You see raw values, and the audit log records that you looked. Your
        choices stay.
      </p>
      <Password
        label="Your password, to look at values"
        value={password}
        isRequired={false}
        onInput={setPassword}
        onEnter={run}
      />
      <div class="beside">
        <button type="button" disabled={look.isBusy || password === ""} onClick={run}>
          {look.isBusy ? "reading …" : "Look at its values"}
        </button>
      </div>
      <p role="status" class="wide">
        {look.isBusy
          ? "Reading the table. Stay on this page until it has finished, or the answer is lost."
          : outcome}
      </p>
      <Trouble problem={look.problem} />
    </div>
  );
}

/** The last question: the job's name, which names the result, and a table beside the file. */
export function Target({
  form,
  set,
  mayUseTables,
  password,
  setPassword,
}: {
  form: JobForm;
  set: (change: Partial<JobForm>) => void;
  mayUseTables: boolean;
  password: string;
  setPassword: (password: string) => void;
}) {
  return (
    <>
      <div class="row">
        <label>
          Name
          <input
            required
            pattern="[a-z_][a-z0-9_]*"
            maxLength={63}
            value={form.name}
            onInput={(it) => set({name: it.currentTarget.value})}
          />
        </label>
        <p class="hint">
          The result is a file that you can download: <code>{resultNameOf(form.name)}</code>
          {form.file ? `, separated by the input's ${kSeparatorNames[form.file.separator]}` : ""}.
        </p>
      </div>
      {mayUseTables ? <TargetTable form={form} set={set} /> : null}
      {mayUseTables && usesTables(form) ? (
        <Password
          label="Your password, for a job over tables"
          value={password}
          isRequired={true}
          onInput={setPassword}
        />
      ) : null}
    </>
  );
}

function TargetTable({form, set}: {form: JobForm; set: (change: Partial<JobForm>) => void}) {
  const databases = useDatabases();
  const database = form.targetDatabase || form.table?.database || databases.names[0] || "";
  return (
    <>
      <div class="row">
        <label>
          Also to a table (schema.table)
          <input
            value={form.target}
            onInput={(it) => set({target: it.currentTarget.value.trim(), targetDatabase: database})}
          />
        </label>
        <label>
          Database of that table
          <select value={database} onChange={(it) => set({targetDatabase: it.currentTarget.value})}>
            {databases.names.map((it) => (
              <option key={it} value={it}>
                {it}
              </option>
            ))}
          </select>
        </label>
        <p class="hint">The name must be free. This page can't remove a published table.</p>
      </div>
      <Trouble problem={databases.problem} />
    </>
  );
}
