// Rows of a policy's table as they are, beside what readers are shown of them: for whom the configuration
// lists, each look with the password.
import {useEffect, useState} from "preact/hooks";
import {api, type RawRows} from "../api.js";
import {count} from "../ui/format.js";
import {Trouble, useAction} from "../ui.js";

const kShownMs = 5 * 60_000;

function Pairs({rows}: {rows: RawRows}) {
  const title = `Rows of ${rows.table} beside what version ${rows.number} shows of them`;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {rows.columns.flatMap((it) => [
              <th scope="col" key={`raw ${it}`}>
                {it}
              </th>,
              <th scope="col" key={`shown ${it}`}>
                {it}, shown
              </th>,
            ])}
          </tr>
        </thead>
        <tbody>
          {rows.raw.map((cells, at) => (
            <tr key={at}>
              {cells.flatMap((cell, column) => {
                const shown = rows.masked[at]?.[column] ?? null;
                return [
                  <td key={`raw ${column}`}>{cell ?? <span class="null">NULL</span>}</td>,
                  <td key={`shown ${column}`} class={shown === cell ? "shown" : "shown hides"}>
                    {shown ?? <span class="null">{cell === null ? "NULL" : "hidden"}</span>}
                  </td>,
                ];
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function RawRowsOf({policy}: {policy: string}) {
  const [password, setPassword] = useState("");
  const [rows, setRows] = useState<RawRows | null>(null);
  const look = useAction(async () => {
    const secret = password;
    setPassword("");
    setRows(null);
    setRows(await api.rawRows(policy, secret));
  });
  useEffect(() => {
    if (!rows) return;
    const timer = setTimeout(() => setRows(null), kShownMs);
    return () => clearTimeout(timer);
  }, [rows]);
  return (
    <section aria-labelledby="raw-title">
      <h2 id="raw-title">Raw rows beside masked ones</h2>
      <p class="hint">
        This shows the first 50 rows by the primary key, each beside what readers see of it. Each look
        requires your password. The audit log records your name, the table and the number of rows. The rows
        disappear after five minutes.
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          look.run();
        }}
      >
        <label>
          Your password
          <input
            type="password"
            autocomplete="current-password"
            required
            value={password}
            onInput={(it) => setPassword(it.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={look.isBusy}>
          {look.isBusy ? "asking …" : "Show raw rows"}
        </button>
        {rows ? (
          <button type="button" onClick={() => setRows(null)}>
            Hide them
          </button>
        ) : null}
      </form>
      <Trouble problem={look.problem} />
      <p role="status">{rows ? `${count(rows.raw.length)} raw rows` : ""}</p>
      {rows ? (
        <>
          <Pairs rows={rows} />
          {rows.notices.map((it) => (
            <p class="hint" key={it}>
              {it}
            </p>
          ))}
        </>
      ) : null}
    </section>
  );
}
