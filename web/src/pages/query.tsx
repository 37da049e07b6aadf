import {useState} from "preact/hooks";
import {api, type Table} from "../api.js";
import {records} from "../table.js";
import {Trouble, useAction, useLoaded} from "../ui.js";

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
  const names = databases.value ? records(databases.value).map(row => row["name"] ?? "").filter(it => it !== "pgveil") : [];
  const database = chosen || names[0] || "";
  const [answer, setAnswer] = useState<Table | null>(null);
  const action = useAction(async () => {
    lastSql = sql;
    lastRole = role;
    setAnswer(null);
    setAnswer(await api.explain(role, database, sql));
  });
  return (
    <section>
      <h1>Query</h1>
      <p class="hint">What would be sent to PostgreSQL for a role, or every reason why nothing would be. Nothing is sent.</p>
      <form onSubmit={event => { event.preventDefault(); action.run(); }}>
        <div class="row">
          <label>
            Role
            <input list="roles" required value={role} onInput={it => setRole(it.currentTarget.value)} />
            <datalist id="roles">
              {users.value ? records(users.value).map(row => <option key={row["name"]} value={row["name"] ?? ""} />) : null}
            </datalist>
          </label>
          <label>
            Database
            <select value={database} onChange={it => setDatabase(it.currentTarget.value)}>
              {names.map(name => <option key={name} value={name}>{name}</option>)}
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
          onInput={it => setSql(it.currentTarget.value)}
          onKeyDown={event => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            action.run();
          }}
        />
        <p class="actions">
          <button type="submit" disabled={action.isBusy || database === ""}>Judge (Control-Enter)</button>
        </p>
      </form>
      <Trouble problem={databases.problem ?? action.problem} />
      <div role="status">{answer ? <Verdicts table={answer} /> : null}</div>
    </section>
  );
}
