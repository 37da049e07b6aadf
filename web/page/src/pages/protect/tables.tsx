// Every table of a database: what looks personal and why, and whether readers can reach it.
import {useMemo, useState} from "preact/hooks";
import {protectApi, type FoundTable, type FoundTables} from "../../protect/api.js";
import {inOrder, looksOf, matching, stateWords, summaryOf, type Choice} from "../../protect/tables.js";
import {linkToProtect} from "../../route.js";
import {Badge, Button, ButtonLink, EmptyState, PageHeader, Skeleton, Trouble, useLoaded} from "../../ui.js";
import {count} from "../../ui/format.js";

const kAtOnce = 50;

const kChoices: {key: Choice; title: string}[] = [
  {key: "personal", title: "Looks personal"},
  {key: "unprotected", title: "Not protected"},
  {key: "all", title: "All"},
];

/** What was chosen here stays while somebody visits a table and comes back. */
const kept = {database: "", choice: null as Choice | null, words: ""};

function Row({database, table}: {database: string; table: FoundTable}) {
  const [looks, state] = [looksOf(table), stateWords(table.state)];
  const isNew = table.policies.length === 0;
  return (
    <li class="found-table">
      <div class="found-name">
        <h3>
          <span class="soft">{table.schema}.</span>
          {table.name}
        </h3>
        <p class="hint">
          {table.kind === "table" ? "" : `${table.kind}, `}
          {table.rows === null ? "size unknown" : `about ${count(table.rows)} rows`}
        </p>
      </div>
      <div class="found-why">
        <p>
          <Badge tone={looks.tone}>{looks.words}</Badge> {table.reason}
        </p>
        {table.personal.length > 0 ? (
          <ul class="found-columns" aria-label={`Columns of ${table.name} that look personal`}>
            {table.personal.map(({column, what}) => (
              <li key={column} title={what}>
                <code>{column}</code> <span>{what}</span>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
      <div class="found-state">
        <Badge tone={state.tone}>{state.words}</Badge>
        {table.why ? <p class="hint">{table.why}</p> : null}
      </div>
      <div class="found-action">
        <ButtonLink
          kind={isNew && table.state !== "protected" && looks.tone !== "neutral" ? "primary" : "secondary"}
          href={linkToProtect(database, table.table)}
        >
          {isNew ? "Protect" : "Edit"}
          <span class="hidden"> {table.table}</span>
        </ButtonLink>
      </div>
    </li>
  );
}

function List({found}: {found: FoundTables}) {
  const ordered = useMemo(() => inOrder(found.tables), [found]);
  const hasPersonal = ordered.some(it => it.looks === "persons" || it.looks === "events");
  const [choice, setChoice] = useState<Choice>(kept.choice ?? (hasPersonal ? "personal" : "all"));
  const [words, setWords] = useState(kept.words);
  const [limit, setLimit] = useState(kAtOnce);
  const shown = useMemo(() => matching(ordered, choice, words), [ordered, choice, words]);
  const counts = useMemo(
    () => new Map(kChoices.map(({key}) => [key, matching(ordered, key, "").length])), [ordered]);
  const choose = (next: Choice) => {
    kept.choice = next;
    setChoice(next);
    setLimit(kAtOnce);
  };
  return (
    <>
      <p class="found-summary">{summaryOf(found.tables)}</p>
      <div class="found-tools">
        <div class="segments" role="group" aria-label="Which tables">
          {kChoices.map(({key, title}) => (
            <button type="button" key={key} aria-pressed={choice === key} onClick={() => choose(key)}>
              {title} <span class="soft">{count(counts.get(key) ?? 0)}</span>
            </button>
          ))}
        </div>
        <input
          type="search"
          placeholder="Search tables and columns"
          aria-label="Search tables and columns"
          value={words}
          onInput={(it) => {
            kept.words = it.currentTarget.value;
            setWords(it.currentTarget.value);
            setLimit(kAtOnce);
          }}
        />
      </div>
      <p class="hidden" role="status">{count(shown.length)} tables are listed</p>
      {shown.length === 0 ? (
        <EmptyState
          title="No table matches"
          text="Change the search, or look at all tables."
          action={<Button onClick={() => choose("all")}>Show all tables</Button>}
        />
      ) : (
        <ul class="found-tables">
          {shown.slice(0, limit).map(it => <Row key={it.table} database={found.database} table={it} />)}
        </ul>
      )}
      {shown.length > limit ? (
        <p class="actions">
          <Button onClick={() => setLimit(it => it + kAtOnce)}>
            Show {count(Math.min(kAtOnce, shown.length - limit))} more of {count(shown.length - limit)}
          </Button>
        </p>
      ) : null}
      <p class="hint">
        These signs come from names, types, keys and statistics. No row was read. They are heuristics: a table
        without a sign can still hold personal data.
      </p>
    </>
  );
}

function Loading({database}: {database: string}) {
  const {value, problem, isBusy, again} = useLoaded(`protect ${database}`, () => protectApi.tables(database));
  return (
    <>
      {isBusy ? <Skeleton lines={8} /> : null}
      <Trouble problem={problem}>
        {" "}
        <Button onClick={again}>Try again</Button>
      </Trouble>
      {value ? <List found={value} /> : null}
    </>
  );
}

export function TablesPage() {
  const {value, problem, isBusy, again} = useLoaded("connection", () => protectApi.connection());
  const [chosen, setChosen] = useState(kept.database);
  const databases = value?.databases ?? [];
  const database = databases.includes(chosen) ? chosen : databases[0] ?? "";
  return (
    <section class="protect">
      <PageHeader
        title="Protect a table"
        lead="Choose a table. pgveil proposes who can be recognized by what, you decide, and nothing changes
          before you apply it."
        actions={
          databases.length > 1 ? (
            <label class="inline">
              Database
              <select
                value={database}
                onChange={(it) => {
                  kept.database = it.currentTarget.value;
                  setChosen(it.currentTarget.value);
                }}
              >
                {databases.map(it => <option key={it} value={it}>{it}</option>)}
              </select>
            </label>
          ) : undefined
        }
      />
      {isBusy ? <Skeleton lines={8} /> : null}
      <Trouble problem={problem}>
        {" "}
        <Button onClick={again}>Try again</Button>
      </Trouble>
      {value && databases.length === 0 ? (
        <EmptyState
          title="pgveil serves no database yet"
          text="Name a database in the configuration under backend.databases, then reload it."
        />
      ) : null}
      {database ? <Loading key={database} database={database} /> : null}
    </section>
  );
}
