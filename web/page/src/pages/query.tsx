import {useRef, useState} from "preact/hooks";
import {api, type Table} from "../api.js";
import {distinctColumns, records} from "../table.js";
import {Grid, Trouble, useAction, useLoaded} from "../ui.js";

function Verdicts({table}: {table: Table}) {
  return (
    <ol class="verdicts">
      {records(table).map((row, at) => {
        const verdict = row["verdict"] ?? "";
        const isNo = verdict.startsWith("refused") || verdict.startsWith("error");
        return (
          <li key={at} class={isNo ? "no" : ""}>
            <h3>{verdict}</h3>
            {isNo ? <p>{row["text"]}</p> : <pre tabIndex={0}>{row["text"]}</pre>}
            {row["detail"] ? <p>{row["detail"]}</p> : null}
            {row["hint"] ? <p class="hint">{row["hint"]}</p> : null}
            {row["place"] ? <pre tabIndex={0}>{row["place"]}</pre> : null}
          </li>
        );
      })}
    </ol>
  );
}

let lastSql = "SELECT * FROM people";
let lastRole = "";

export function Query() {
  const [sql, setSql] = useState(lastSql);
  const [role, setRole] = useState(lastRole);
  const [chosen, setDatabase] = useState("");
  const databases = useLoaded("databases", () => api.show("databases"));
  const users = useLoaded("users", () => api.show("users"));
  const names = databases.value
    ? records(databases.value)
        .map((row) => row["name"] ?? "")
        .filter((it) => it !== "pgveil")
    : [];
  const database = chosen || names[0] || "";
  const [answer, setAnswer] = useState<Table | null>(null);
  const [rows, setRows] = useState<Table | null>(null);
  const begin = () => {
    lastSql = sql;
    lastRole = role;
    setAnswer(null);
    setRows(null);
  };
  const action = useAction(async () => {
    begin();
    setAnswer(await api.explain(role, database, sql));
  });
  const asking = useAction(async () => {
    begin();
    setRows(distinctColumns(await api.rows(role, database, sql)));
  });
  const isBusy = action.isBusy || asking.isBusy;
  const form = useRef<HTMLFormElement>(null);
  return (
    <section>
      <h1>Query</h1>
      <p class="hint">
        Explain shows the SQL that would be sent to PostgreSQL for a role, or every reason for a refusal. Show
        rows runs the query through a session of that role and shows the first 100 rows. The audit log records
        this with your name.
      </p>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          action.run();
        }}
      >
        <div class="row">
          <label>
            Role
            <input list="roles" required value={role} onInput={(it) => setRole(it.currentTarget.value)} />
            <datalist id="roles">
              {users.value
                ? records(users.value).map((row) => <option key={row["name"]} value={row["name"] ?? ""} />)
                : null}
            </datalist>
          </label>
          <label>
            Database
            <select value={database} onChange={(it) => setDatabase(it.currentTarget.value)}>
              {names.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        <label for="sql">SQL</label>
        <textarea
          id="sql"
          class="code"
          rows={8}
          required
          spellcheck={false}
          autocomplete="off"
          value={sql}
          onInput={(it) => setSql(it.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            action.run();
          }}
        />
        <p class="actions">
          <button type="submit" disabled={isBusy || database === ""}>
            Explain (Control-Enter)
          </button>
          <button
            type="button"
            disabled={isBusy || database === ""}
            onClick={() => {
              if (form.current?.reportValidity()) asking.run();
            }}
          >
            {asking.isBusy ? "asking …" : "Show rows"}
          </button>
        </p>
      </form>
      <Trouble problem={databases.problem ?? action.problem ?? asking.problem} />
      <div role="status">
        {answer ? <Verdicts table={answer} /> : null}
        {rows ? <Grid caption={`Rows as ${lastRole} sees them`} table={rows} isOfNames={false} /> : null}
      </div>
    </section>
  );
}
