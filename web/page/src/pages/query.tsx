// What happens to a statement of a role: the SQL that would be sent, or why it is refused; and its rows.
import {useEffect, useRef, useState} from "preact/hooks";
import {api, type Table} from "../api.js";
import {chartOf, firstStatement, kSchemaSql, maskedTables, sqlName, tableName, type MaskedTable}
  from "../query-schema.js";
import {distinctColumns, records, type Row} from "../table.js";
import {ago} from "../ui/format.js";
import {
  Badge, Bars, Button, Card, EmptyState, PageHeader, Paged, Skeleton, Trouble, useAction, useLoaded,
} from "../ui.js";

const kFoldLines = 12;
const kBars = 20;
const kMostAsked = 20;

/** The first lines of a long text, and the rest on demand. */
function Folded({text, label}: {text: string; label: string}) {
  const [isOpen, setOpen] = useState(false);
  const lines = text.split("\n");
  const isLong = lines.length > kFoldLines;
  return (
    <>
      <pre class="folded" tabIndex={0} aria-label={label}>
        {isOpen || !isLong ? text : lines.slice(0, kFoldLines).join("\n")}
      </pre>
      {isLong ? (
        <Button kind="quiet" onClick={() => setOpen(it => !it)} aria-expanded={isOpen ? "true" : "false"}>
          {isOpen ? "Show less" : `Show all ${lines.length} lines`}
        </Button>
      ) : null}
    </>
  );
}

const isNo = (verdict: string) => verdict.startsWith("refused") || verdict.startsWith("error");

function Verdict({row}: {row: Row}) {
  const verdict = row["verdict"] ?? "";
  const no = isNo(verdict);
  const isMask = verdict.startsWith("mask of");
  return (
    <li class={no ? "no" : ""}>
      <h3>{isMask ? verdict : <Badge tone={no ? "bad" : "good"}>{verdict}</Badge>}</h3>
      {no ? <p>{row["text"]}</p> : <Folded text={row["text"] ?? ""} label={verdict} />}
      {row["detail"] ? <p class="hint">{row["detail"]}</p> : null}
      {row["hint"] ? <p class="hint">{row["hint"]}</p> : null}
      {row["place"] ? <pre class="folded" tabIndex={0}>{row["place"]}</pre> : null}
    </li>
  );
}

function Verdicts({table}: {table: Table}) {
  return (
    <Card title="What happens to this statement">
      <ol class="verdicts">
        {records(table).map((row, at) => <Verdict key={at} row={row} />)}
      </ol>
    </Card>
  );
}

function Rows({table, role}: {table: Table; role: string}) {
  const chart = chartOf(table);
  const title = `Rows as ${role} sees them`;
  return (
    <>
      {chart ? (
        <Card title={chart.label}>
          <Bars label={chart.label} bars={chart.bars.slice(0, kBars)} />
          {chart.bars.length > kBars ? <p class="hint">The first {kBars} rows.</p> : null}
        </Card>
      ) : null}
      <Card title={title}>
        {table.rows.length === 0 ? (
          <EmptyState
            title="No rows"
            text="Values that are hidden match no condition, so a WHERE or a JOIN on them finds nothing."
          />
        ) : (
          <Paged items={table.rows} name="row" rows={25}>
            {page => (
              <div class="scroll" tabIndex={0} role="region" aria-label={title}>
                <table>
                  <caption class="hidden">{title}</caption>
                  <thead>
                    <tr>{table.columns.map(it => <th scope="col" key={it}>{it}</th>)}</tr>
                  </thead>
                  <tbody>
                    {page.map((row, at) => (
                      <tr key={at}>
                        {row.map((cell, column) => (
                          <td key={column}>{cell ?? <span class="null">NULL</span>}</td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </Paged>
        )}
        {table.notices.map(it => <p class="hint" key={it}>{it}</p>)}
      </Card>
    </>
  );
}

function SchemaBrowser({tables, onUse}: {tables: MaskedTable[]; onUse: (text: string) => void}) {
  if (tables.length === 0)
    return <p class="hint">This role reads no table through a mask. Unprotected tables are not listed here.</p>;
  return (
    <Paged items={tables} name="table" rows={12}>
      {page => (
        <ul class="schema">
          {page.map(table => (
            <li key={tableName(table)}>
              <details>
                <summary>{tableName(table)}</summary>
                <Button kind="quiet" onClick={() => onUse(`SELECT * FROM ${tableName(table)}`)}>
                  Its rows
                </Button>
                <ul>
                  {table.columns.map(it => (
                    <li key={it.name}>
                      <button
                        type="button"
                        class="link"
                        onClick={() => onUse(
                          `SELECT ${sqlName(it.name)}, count(*) FROM ${tableName(table)} ` +
                          `GROUP BY ${sqlName(it.name)} ORDER BY 2 DESC`)}
                      >
                        {it.name}
                      </button>{" "}
                      <span class="hint">
                        {it.class.replaceAll("_", " ")}
                        {it.shownPercent === null ? "" : `, shown in ${it.shownPercent} %`}
                      </span>
                    </li>
                  ))}
                </ul>
              </details>
            </li>
          ))}
        </ul>
      )}
    </Paged>
  );
}

interface Asked {
  at: number;
  role: string;
  database: string;
  sql: string;
  outcome: string;
}

// Of this tab, and only in memory, because statements may quote values.
let lastSql = "";
let lastRole = "";
let history: Asked[] = [];

/** Another person signs in. */
export function forgetQueries(): void {
  lastSql = lastRole = "";
  history = [];
}

function History({asked, onUse}: {asked: readonly Asked[]; onUse: (it: Asked) => void}) {
  if (asked.length === 0) return <p class="hint">Statements that you ask are listed here until you leave.</p>;
  return (
    <Paged items={asked} name="statement" rows={6}>
      {page => (
        <ol class="schema">
          {page.map(it => (
            <li key={it.at}>
              <button type="button" class="link" onClick={() => onUse(it)}>
                <code class="clamp">{it.sql}</code>
              </button>
              <span class="hint">{it.role}, {it.outcome}, {ago(it.at, Date.now())}</span>
            </li>
          ))}
        </ol>
      )}
    </Paged>
  );
}

export function Query() {
  const [sql, setSql] = useState(lastSql);
  const [role, setRole] = useState(lastRole);
  const [chosen, setDatabase] = useState("");
  const [limit, setLimit] = useState(100);
  const [asked, setAsked] = useState(history);
  const databases = useLoaded("databases", () => api.show("databases"));
  const users = useLoaded("users", () => api.show("users"));
  const names = databases.value
    ? records(databases.value).map(row => row["name"] ?? "").filter(it => it !== "pgveil")
    : [];
  const roles = users.value ? records(users.value).map(row => row["name"] ?? "") : [];
  const database = chosen || names[0] || "";
  const isKnownRole = roles.includes(role);
  // The roles may come after one was typed.
  const schema = useLoaded<MaskedTable[]>(`schema ${isKnownRole} ${role} ${database}`, async () =>
    isKnownRole && database !== "" ? maskedTables(await api.rows(role, database, kSchemaSql)) : []);
  const [answer, setAnswer] = useState<Table | null>(null);
  const [rows, setRows] = useState<Table | null>(null);
  const form = useRef<HTMLFormElement>(null);

  // Something that works to begin with.
  useEffect(() => {
    const first = schema.value ? firstStatement(schema.value) : null;
    // By now somebody may have typed, or be about to.
    if (first && document.activeElement?.id !== "sql") setSql(was => (was === "" ? first : was));
  }, [schema.value]);
  useEffect(() => {
    lastSql = sql;
    lastRole = role;
  }, [sql, role]);

  const note = (outcome: string) => {
    const same = (it: Asked) => it.sql === sql && it.role === role && it.database === database;
    history = [{at: Date.now(), role, database, sql, outcome}, ...history.filter(it => !same(it))]
      .slice(0, kMostAsked);
    setAsked(history);
  };
  const begin = () => {
    setAnswer(null);
    setRows(null);
  };
  const explaining = useAction(async () => {
    begin();
    const table = await api.explain(role, database, sql);
    note(records(table)[0]?.["verdict"] ?? "");
    setAnswer(table);
  });
  const asking = useAction(async () => {
    begin();
    try {
      const table = distinctColumns(await api.rows(role, database, sql));
      note(`${table.rows.length} rows`);
      setRows({...table, rows: table.rows.slice(0, limit)});
    } catch (thrown) {
      note("refused or failed");
      throw thrown;
    }
  });
  const isBusy = explaining.isBusy || asking.isBusy;
  return (
    <section>
      <PageHeader
        title="Query"
        lead={
          "Explain shows the SQL that pgveil sends for a role, or every reason for a refusal. Show rows runs the " +
          "statement as that role. The audit log records this with your name."
        }
      />
      <div class="beside-panel">
        <div class="stack">
          <Card>
            <form
              ref={form}
              onSubmit={(event) => {
                event.preventDefault();
                explaining.run();
              }}
            >
              <div class="row">
                <label>
                  Role
                  <input
                    list="roles"
                    required
                    autocomplete="off"
                    value={role}
                    onInput={(it) => setRole(it.currentTarget.value)}
                  />
                  <datalist id="roles">{roles.map(it => <option key={it} value={it} />)}</datalist>
                </label>
                <label>
                  Database
                  <select value={database} onChange={(it) => setDatabase(it.currentTarget.value)}>
                    {names.map(name => <option key={name} value={name}>{name}</option>)}
                  </select>
                </label>
                <label>
                  Rows at most
                  <select value={limit} onChange={it => setLimit(Number(it.currentTarget.value))}>
                    {[10, 25, 100].map(it => <option key={it} value={it}>{it}</option>)}
                  </select>
                </label>
              </div>
              <label for="sql">SQL</label>
              <textarea
                id="sql"
                class="code"
                rows={6}
                required
                spellcheck={false}
                autocomplete="off"
                placeholder="Choose a role to begin with a table that it may read"
                value={sql}
                onInput={(it) => setSql(it.currentTarget.value)}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
                  event.preventDefault();
                  if (form.current?.reportValidity()) explaining.run();
                }}
              />
              <p class="actions">
                <Button
                  kind="primary"
                  isBusy={asking.isBusy}
                  isDisabled={isBusy || database === ""}
                  onClick={() => {
                    if (form.current?.reportValidity()) asking.run();
                  }}
                >
                  Show rows
                </Button>
                <Button type="submit" isBusy={explaining.isBusy} isDisabled={isBusy || database === ""}>
                  Explain (Control-Enter)
                </Button>
              </p>
            </form>
          </Card>
          <Trouble problem={databases.problem ?? explaining.problem ?? asking.problem} />
          <div role="status" class="stack">
            {answer ? <Verdicts table={answer} /> : null}
            {rows ? <Rows table={rows} role={lastRole} /> : null}
          </div>
        </div>
        <div class="stack">
          <Card title="Tables to ask about">
            {!isKnownRole ? <p class="hint">Choose a role to see the tables that it reads through masks.</p>
              : schema.problem ? <Trouble problem={schema.problem} />
                : !schema.value ? <Skeleton lines={3} />
                  : <SchemaBrowser tables={schema.value} onUse={setSql} />}
          </Card>
          <Card title="Asked before">
            <History
              asked={asked}
              onUse={it => {
                setRole(it.role);
                setDatabase(it.database);
                setSql(it.sql);
              }}
            />
          </Card>
        </div>
      </div>
    </section>
  );
}
