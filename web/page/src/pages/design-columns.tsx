// The columns of a design's table as the database has them, with hints; choosing a class writes it into the
// text.
import {useState} from "preact/hooks";
import type {DesignPolicy} from "../api.js";
import {classesFor, factsOf} from "../design.js";
import {isClass} from "../policy-text/form.js";
import {withClass} from "../policy-text/write.js";
import {protectApi, type TableDraft} from "../protect/api.js";
import {count} from "../table.js";
import {Trouble, useLoaded, Waiting} from "../ui.js";

interface Chosen {
  text: string;
  policy: DesignPolicy;
  edit: (text: string) => void;
}

function Rows({text, policy, edit, table}: Chosen & {table: TableDraft}) {
  const classes = new Map(policy.columns.map(it => [it.name, it.class]));
  const missing = table.columns.filter(it => !classes.has(it.name));
  const suggestAll = () => {
    const next = missing.reduce(
      (made: string | null, it) =>
        made === null ? null : withClass(made, policy.name, it.name, it.class ?? "identifier"),
      text,
    );
    if (next !== null) edit(next);
  };
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Columns of ${policy.table}`}>
        <table>
          <caption>
            Columns of {policy.table}
            {table.rows === null ? "" : `, about ${count(table.rows)} rows`}
          </caption>
          <thead>
            <tr>
              <th scope="col">column</th>
              <th scope="col">type</th>
              <th scope="col">class</th>
              <th scope="col">suggested</th>
              <th scope="col">hints</th>
            </tr>
          </thead>
          <tbody>
            {table.columns.map((column) => (
              <tr key={column.name}>
                <th scope="row">{column.name}</th>
                <td>{column.type}</td>
                <td>
                  <select
                    aria-label={`Class of ${column.name} in the table`}
                    value={classes.get(column.name) ?? ""}
                    disabled={withClass(text, policy.name, column.name, "identifier") === null}
                    onChange={(it) => {
                      const own = it.currentTarget.value;
                      const next = isClass(own) ? withClass(text, policy.name, column.name, own) : null;
                      if (next !== null) edit(next);
                    }}
                  >
                    {classes.has(column.name) ? null : (
                      <option value="" disabled>
                        not listed: hidden
                      </option>
                    )}
                    {classesFor(classes.get(column.name)).map((it) => (
                      <option key={it} value={it}>
                        {it.replaceAll("_", " ")}
                      </option>
                    ))}
                  </select>
                </td>
                <td>{(column.class ?? "identifier").replaceAll("_", " ")}</td>
                <td>{[column.reason, factsOf(column)].filter(Boolean).join("; ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        These facts come from the catalog, the statistics of the last ANALYZE
        {table.sampled > 0 ? `, and a sample of ${count(table.sampled)} rows` : ""}. No value is shown. Hints
        are heuristics; review every column yourself.
      </p>
      {missing.length > 0 ? (
        <button type="button" onClick={suggestAll}>
          Add the {count(missing.length)} unlisted columns as suggested
        </button>
      ) : null}
    </>
  );
}

function Loading(chosen: Chosen) {
  const {database, table} = chosen.policy;
  const {value, problem, isBusy} = useLoaded(`columns ${database} ${table}`, () =>
    protectApi.draft(database, table),
  );
  return (
    <>
      <Waiting isBusy={isBusy} />
      <Trouble problem={problem} />
      {value ? <Rows {...chosen} table={value} /> : null}
    </>
  );
}

export function ColumnsInDatabase(chosen: Chosen) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={it => setOpen(it.currentTarget.open)}>
      <summary>Columns of {chosen.policy.table} in {chosen.policy.database}, with hints</summary>
      {isOpen ? <Loading {...chosen} /> : null}
    </details>
  );
}
