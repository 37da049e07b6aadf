import type {ComponentChildren} from "preact";
import {useState} from "preact/hooks";
import type {Table} from "../api.js";
import {filtered, records, sorted, type Order, type Row} from "../table.js";

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
