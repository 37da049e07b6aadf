// Pieces that several pages use.
import type {ComponentChildren} from "preact";
import {useCallback, useEffect, useRef, useState} from "preact/hooks";
import {ApiError, type Problem, type Table} from "./api.js";
import {filtered, records, sorted, type Order, type Row} from "./table.js";

export function problemFrom(thrown: unknown): Problem {
  if (thrown instanceof ApiError) return thrown.problem;
  return {status: 0, message: "this page has failed", hint: "reload the page"};
}

/** children: what can be done about it. */
export function Trouble({problem, children}: {problem: Problem | null; children?: ComponentChildren}) {
  if (!problem) return null;
  return (
    <p class="trouble" role="alert">
      <strong>{problem.message}</strong>
      {problem.sqlstate ? <code> {problem.sqlstate}</code> : null}
      {problem.hint ? <span class="hint">{problem.hint}</span> : null}
      {children}
    </p>
  );
}

export interface Loaded<T> {
  value: T | null;
  problem: Problem | null;
  isBusy: boolean;
  again: () => void;
}

/** Loads when the key changes; the answer to an older key is dropped. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{key: string; value: T | null; problem: Problem | null}>(
    {key: "", value: null, problem: null});
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    let isCurrent = true;
    latest.current().then(
      value => isCurrent && setState({key, value, problem: null}),
      (thrown: unknown) => isCurrent && setState({key, value: null, problem: problemFrom(thrown)}));
    return () => {
      isCurrent = false;
    };
  }, [key, turn]);
  const again = useCallback(() => setTurn(it => it + 1), []);
  const isFresh = state.key === key;
  return {
    value: isFresh ? state.value : null,
    problem: isFresh ? state.problem : null,
    isBusy: !isFresh,
    again,
  };
}

export interface Action {
  run: () => void;
  isBusy: boolean;
  problem: Problem | null;
}

export function useAction(work: () => Promise<void>): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = () => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    work()
      .catch((thrown: unknown) => setProblem(problemFrom(thrown)))
      .finally(() => setBusy(false));
  };
  return {run, isBusy, problem};
}

export function Waiting({isBusy}: {isBusy: boolean}) {
  return isBusy ? <p class="waiting" role="status">loading …</p> : null;
}

export function Bar({part, whole, label}: {part: number; whole: number; label: string}) {
  const width = whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10;
  return (
    <span class="bar" role="img" aria-label={label}>
      <span style={{width: `${width}%`}} />
    </span>
  );
}

export function FigureList({figures}: {figures: [name: string, value: string][]}) {
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface GridColumn {
  key: string;
  title?: string;
  isNumber?: boolean;
  cell?: (row: Row) => ComponentChildren;
}

const kRowsAtOnce = 200;

/** A table that can be sorted by its headers and, if it is long, filtered; rows beyond a page come on demand.
 * */
export function Grid({caption, table, columns, isOfNames = true}: {
  caption: string;
  table: Table;
  columns?: GridColumn[];
  /** Columns are the console's words, not names that somebody chose. */
  isOfNames?: boolean;
}) {
  const [order, setOrder] = useState<Order | null>(null);
  const [words, setWords] = useState("");
  const [limit, setLimit] = useState(kRowsAtOnce);
  const shown: GridColumn[] = columns ?? table.columns.map(key => ({key}));
  const rows = sorted(filtered(records(table), words), order);
  const turn = (column: string) =>
    setOrder(was => ({column, isDescending: was?.column === column ? !was.isDescending : false}));
  return (
    <div class="grid">
      {table.rows.length > 12 ? (
        <label class="filter">
          Filter <input type="search" value={words} onInput={it => setWords(it.currentTarget.value)} />
        </label>
      ) : null}
      <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {shown.map(({key, title, isNumber}) => (
                <th
                  scope="col"
                  key={key}
                  class={isNumber ? "number" : ""}
                  aria-sort={order?.column !== key ? "none" : order.isDescending ? "descending" : "ascending"}
                >
                  <button type="button" class="plain" onClick={() => turn(key)}>
                    {title ?? (isOfNames ? key.replaceAll("_", " ") : key)}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, limit).map((row, at) => (
              <tr key={at}>
                {shown.map(({key, isNumber, cell}) => (
                  <td key={key} class={isNumber ? "number" : ""}>
                    {cell ? cell(row) : row[key] ?? <span class="null">NULL</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 ? <p class="hint">nothing to show</p> : null}
      {rows.length > limit ? (
        <button type="button" onClick={() => setLimit(it => it + kRowsAtOnce)}>
          {rows.length - limit} more
        </button>
      ) : null}
      {table.notices.map(notice => <p class="hint" key={notice}>{notice}</p>)}
    </div>
  );
}
