// A job over an uploaded table or, for whom the configuration lists, over a table of a database: classes of its columns, hierarchies, what is asked of the result. It becomes the text that `pgveil anonymize` reads.
import {useEffect, useState} from "preact/hooks";
import {api, type Problem} from "../api.js";
import {desk, type ColumnInfo} from "../desk-api.js";
import {
  attributeOf, columnOfTable, formDraft, formMistake, jobText, kAlgorithms, kClasses, kHierarchies, kMetrics, kNewForm, kOutliers, kSteps, levelsOf,
  tablesOf, usesTables, withCell, withLevel, withoutLevel, yamlOf,
  type Attribute, type Hierarchy, type HierarchyKind, type JobForm,
} from "../desk.js";
import {saveText} from "../download.js";
import {linkToRun} from "../route.js";
import {count, records} from "../table.js";
import {Trouble, problemFrom, useAction, useLoaded} from "../ui.js";
import {sourceOf, upload} from "../upload.js";

const kHierarchyNames: Record<HierarchyKind, string> = {
  intervals: "intervals of numbers", masking: "masking, from the right", dates: "steps of dates", table: "a table, edited here", file: "a file",
};

function Choice({label, value, values, onChange}: {label: string; value: string; values: readonly string[]; onChange: (value: string) => void}) {
  return (
    <label>
      {label}
      <select value={value} onChange={it => onChange(it.currentTarget.value)}>
        {values.map(it => <option key={it} value={it}>{it.replaceAll("_", " ")}</option>)}
      </select>
    </label>
  );
}

function Amount({label, value, min, max, step, onChange}: {
  label: string; value: number; min: number; max: number; step?: number; onChange: (value: number) => void;
}) {
  return (
    <label>
      {label}
      <input type="number" required min={min} max={max} step={step ?? 1} value={value} onInput={it => onChange(Number(it.currentTarget.value))} />
    </label>
  );
}

/** Chosen files go up in parts; trouble stays beside the button. */
function Upload({label, onDone}: {label: string; onDone: (id: string, name: string) => void | Promise<void>}) {
  const [share, setShare] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const bring = async (file: File) => {
    setProblem(null);
    setShare(0);
    try {
      const id = await upload(file, setShare);
      await onDone(id, file.name.slice(0, 60) || "table.csv");
    } catch (thrown) {
      setProblem(problemFrom(thrown));
    }
    setShare(null);
  };
  return (
    <>
      <label class="file">
        {label}{" "}
        <input type="file" accept=".csv,.tsv,.txt,text/csv" disabled={share !== null} onChange={event => {
          const input = event.currentTarget;
          const file = input.files?.[0];
          if (file) void bring(file).finally(() => (input.value = ""));
        }} />
      </label>
      {share === null ? null : <progress aria-label={label} max={1} value={share} />}
      <Trouble problem={problem} />
    </>
  );
}

function LevelTable({name, rows, edit}: {name: string; rows: string[][]; edit: (rows: string[][]) => void}) {
  const levels = levelsOf(rows);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Levels of ${name}`}>
      <table class="levels">
        <caption>Levels of {name}: what each value becomes, step by step</caption>
        <thead>
          <tr>
            <th scope="col">value</th>
            {Array.from({length: levels}, (_, at) => (
              <th scope="col" key={at}>
                level {at + 1}{" "}
                {levels > 1 ? <button type="button" aria-label={`Remove level ${at + 1} of ${name}`} onClick={() => edit(withoutLevel(rows, at + 1))}>×</button> : null}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              <th scope="row">{row[0] === "" ? <span class="null">empty</span> : row[0]}</th>
              {row.slice(1).map((cell, level) => (
                <td key={level}>
                  <input aria-label={`${row[0] || "empty"} at level ${level + 1}`} value={cell}
                         onChange={it => edit(withCell(rows, at, level + 1, it.currentTarget.value))} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" onClick={() => edit(withLevel(rows))}>Add a level to {name}</button>
    </div>
  );
}

function HierarchyOf({column, hierarchy, edit}: {column: string; hierarchy: Hierarchy; edit: (hierarchy: Hierarchy) => void}) {
  const set = (change: Partial<Hierarchy>) => edit({...hierarchy, ...change});
  return (
    <>
      <label>
        Hierarchy of {column}
        <select value={hierarchy.kind} onChange={it => set({kind: it.currentTarget.value as HierarchyKind})}>
          {kHierarchies.map(it => (
            <option key={it} value={it} disabled={it === "table" && hierarchy.rows.length === 0}>{kHierarchyNames[it]}</option>
          ))}
        </select>
      </label>
      {hierarchy.kind === "intervals" ? (
        <label>Widths of {column}<input value={hierarchy.widths} onInput={it => set({widths: it.currentTarget.value})} /></label>
      ) : null}
      {hierarchy.kind === "dates" ? kSteps.map(step => (
        <label class="check" key={step}>
          <input type="checkbox" checked={hierarchy.steps.includes(step)}
                 onChange={it => set({steps: it.currentTarget.checked ? [...hierarchy.steps, step] : hierarchy.steps.filter(other => other !== step)})} /> {step}
        </label>
      )) : null}
      {hierarchy.kind === "file" ? (
        <>
          <Upload label={`Hierarchy file of ${column}`} onDone={(id, name) => set({upload: {id, name}})} />
          {hierarchy.upload ? <p class="fine">{hierarchy.upload.name}</p> : <p class="hint">One record for each value: the value, then its levels, with semicolons.</p>}
        </>
      ) : null}
      {hierarchy.kind === "table" ? <LevelTable name={column} rows={hierarchy.rows} edit={rows => set({rows})} /> : null}
    </>
  );
}

function hintOf(column: ColumnInfo | undefined, rows: number): string {
  if (!column) return "";
  if (column.type !== undefined) {
    const known = column.distinct > 0 ? [`about ${count(column.distinct)} different values`] : [];
    return [column.type, ...known, ...column.hints.map(it => `looks like ${it}`)].join("; ");
  }
  const parts = [column.distinct === rows ? "every record has another value" : `${count(column.distinct)} different values`];
  if (column.empty > 0) parts.push(`${count(column.empty)} empty`);
  if (column.kind === "number") parts.push(`numbers from ${column.least} to ${column.greatest}`);
  if (column.kind === "date") parts.push("dates");
  return [...parts, ...column.hints.map(it => `looks like ${it}`)].join("; ");
}

function Column({attribute, info, rows, edit}: {attribute: Attribute; info: ColumnInfo | undefined; rows: number; edit: (attribute: Attribute) => void}) {
  const set = (change: Partial<Attribute>) => edit({...attribute, ...change});
  return (
    <fieldset>
      <legend>{attribute.name}</legend>
      <p class="hint wide">{hintOf(info, rows)}</p>
      <label>
        Class of {attribute.name}
        <select value={attribute.class} onChange={it => set({class: it.currentTarget.value as Attribute["class"]})}>
          {kClasses.map(it => <option key={it} value={it}>{it.replaceAll("_", " ")}</option>)}
        </select>
      </label>
      {attribute.class === "quasi_identifier" ? (
        <HierarchyOf column={attribute.name} hierarchy={attribute.hierarchy} edit={hierarchy => set({hierarchy})} />
      ) : null}
      {attribute.class === "sensitive" ? (
        <>
          <label>l: different values in each class<input inputMode="numeric" value={attribute.l} onInput={it => set({l: it.currentTarget.value.trim()})} /></label>
          <label>t: distance from all records, 0 to 1<input inputMode="decimal" value={attribute.t} onInput={it => set({t: it.currentTarget.value.trim()})} /></label>
        </>
      ) : null}
    </fieldset>
  );
}

function Goal({form, set}: {form: JobForm; set: (change: Partial<JobForm>) => void}) {
  const isMondrian = form.algorithm === "mondrian";
  return (
    <fieldset>
      <legend>What is asked of the result</legend>
      <Amount label="k" value={form.k} min={1} max={4294967296} onChange={k => set({k})} />
      <Choice label="Algorithm" value={form.algorithm} values={kAlgorithms} onChange={algorithm => set({algorithm})} />
      {isMondrian ? null : (
        <>
          <Amount label="Suppression, per cent" value={form.suppression} min={0} max={100} step={0.1} onChange={suppression => set({suppression})} />
          <Choice label="Metric" value={form.metric} values={kMetrics} onChange={metric => set({metric})} />
          <Choice label="Suppressed records" value={form.outliers} values={kOutliers} onChange={outliers => set({outliers})} />
          <Amount label="Seconds at most" value={form.seconds} min={1} max={3600} onChange={seconds => set({seconds})} />
        </>
      )}
      <Amount label="Threads" value={form.threads} min={1} max={8} onChange={threads => set({threads})} />
      <label>Name<input required pattern="[a-z_][a-z0-9_]*" maxLength={63} value={form.name} onInput={it => set({name: it.currentTarget.value})} /></label>
    </fieldset>
  );
}

/** A table of a database: its names come from the catalog, its values are never shown here. */
function TableChoice({onChoose}: {onChoose: (database: string, table: string) => Promise<void>}) {
  const databases = useLoaded("databases", () => api.show("databases"));
  const names = databases.value ? records(databases.value).map(row => row["name"] ?? "").filter(it => it !== "pgveil") : [];
  const [chosen, setDatabase] = useState("");
  const [table, setTable] = useState("");
  const database = chosen || names[0] || "";
  const tables = useLoaded(`tables ${database}`, async () => (database === "" ? [] : api.tables(database)));
  const choose = useAction(() => onChoose(database, table));
  return (
    <div class="row">
      <label>
        Database
        <select value={database} onChange={it => { setDatabase(it.currentTarget.value); setTable(""); }}>
          {names.map(it => <option key={it} value={it}>{it}</option>)}
        </select>
      </label>
      <label>
        Table of the database
        <select value={table} onChange={it => setTable(it.currentTarget.value)}>
          <option value="">choose one</option>
          {(tables.value ?? []).map(it => <option key={it} value={it}>{it}</option>)}
        </select>
      </label>
      <button type="button" disabled={choose.isBusy || table === ""} onClick={choose.run}>Take this table</button>
      <Trouble problem={databases.problem ?? tables.problem ?? choose.problem} />
    </div>
  );
}

function Target({form, set, password, setPassword}: {
  form: JobForm; set: (change: Partial<JobForm>) => void; password: string; setPassword: (password: string) => void;
}) {
  const databases = useLoaded("databases", () => api.show("databases"));
  const names = databases.value ? records(databases.value).map(row => row["name"] ?? "").filter(it => it !== "pgveil") : [];
  const database = form.targetDatabase || form.table?.database || names[0] || "";
  return (
    <fieldset>
      <legend>Where it is published</legend>
      <p class="hint wide">Always to a file that you download. A table has to have a name that is free; what was published there is not taken back here.</p>
      <label>
        Also to a table (schema.table)
        <input value={form.target} onInput={it => set({target: it.currentTarget.value.trim(), targetDatabase: database})} />
      </label>
      <label>
        Database of that table
        <select value={database} onChange={it => set({targetDatabase: it.currentTarget.value})}>
          {names.map(it => <option key={it} value={it}>{it}</option>)}
        </select>
      </label>
      {usesTables(form) ? (
        <label>
          Your password, for a job over tables
          <input type="password" autocomplete="current-password" required value={password} onInput={it => setPassword(it.currentTarget.value)} />
        </label>
      ) : null}
      <Trouble problem={databases.problem} />
    </fieldset>
  );
}

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

export function NewJob({mayUseTables}: {mayUseTables: boolean}) {
  const [form, setForm] = useState(formDraft.read().form);
  const [columns, setColumns] = useState(formDraft.read().columns);
  const [rows, setRows] = useState(0);
  const [separator, setSeparator] = useState(",");
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => formDraft.write(form, columns), [form, columns]);
  const set = (change: Partial<JobForm>) => setForm(was => ({...was, ...change}));
  const bring = async (id: string, name: string) => {
    try {
      const table = await desk.columns(id, separator);
      setColumns(table.columns);
      setRows(table.rows);
      setForm(was => ({
        ...was, file: {id, name, separator}, table: null, hasEmpty: table.columns.some(it => it.empty > 0),
        attributes: table.columns.map(it => attributeOf(it, table.rows)),
      }));
    } catch (thrown) {
      await desk.dropUpload(id).catch(() => {});
      throw thrown;
    }
  };
  const takeTable = async (database: string, name: string) => {
    const table = await api.columns(database, name);
    const found = table.columns.map(columnOfTable);
    if (form.file) void desk.dropUpload(form.file.id).catch(() => {});
    setColumns(found);
    setRows(0);
    setForm(was => ({...was, file: null, table: {database, name}, hasEmpty: false, attributes: found.map(it => attributeOf(it, -1))}));
  };
  const [password, setPassword] = useState("");
  const start = useAction(async () => {
    setRefusal(formMistake(form));
    if (formMistake(form)) return;
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
    if (form.file) void desk.dropUpload(form.file.id).catch(() => {});
    setForm(kNewForm);
    setColumns([]);
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
          <Upload label="Table" onDone={bring} />
        </div>
        {mayUseTables ? <TableChoice onChoose={takeTable} /> : null}
        {form.file || form.table ? (
          <>
            <p>
              <strong>{form.table ? `${form.table.name} of ${form.table.database}` : form.file?.name}</strong>{rows > 0 ? `, ${count(rows)} records` : ""}, {columns.length} columns{" "}
              <button type="button" onClick={clear}>Remove it</button>
            </p>
            <h2>Columns</h2>
            {form.attributes.map((attribute, at) => (
              <Column key={attribute.name} attribute={attribute} info={columns[at]} rows={rows || -1}
                      edit={next => set({attributes: form.attributes.map((it, other) => (other === at ? next : it))})} />
            ))}
            <Goal form={form} set={set} />
            {mayUseTables ? <Target form={form} set={set} password={password} setPassword={setPassword} /> : null}
            <p class="actions">
              <button type="submit" disabled={start.isBusy}>{start.isBusy ? "starting …" : "Run the job"}</button>
              <button type="button" onClick={() => saveText(`${form.name}.yaml`, yamlOf(form))}>Save the job's text</button>
            </p>
            {refusal ? <p class="trouble" role="alert">{refusal}</p> : null}
            <Trouble problem={start.problem} />
            <details><summary>The job's text</summary><pre tabIndex={0}>{yamlOf(form)}</pre></details>
          </>
        ) : null}
      </form>
    </section>
  );
}
