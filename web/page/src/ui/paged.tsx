import type {ComponentChildren} from "preact";
import {useState} from "preact/hooks";
import {Button} from "./button.js";
import {count, counted} from "./format.js";

const kRows = 10;

/** A list a page at a time, so that it is never tall. children draws the items of the page. Another list needs
 * another key, so that it begins at its first page. */
export function Paged<T>({items, name, names = `${name}s`, rows = kRows, children}: {
  items: readonly T[];
  /** Of one item: "cohort". */
  name: string;
  names?: string;
  rows?: number;
  children: (items: readonly T[]) => ComponentChildren;
}) {
  const [page, setPage] = useState(0);
  const last = Math.max(0, Math.ceil(items.length / rows) - 1);
  const at = Math.min(page, last);
  const from = at * rows;
  return (
    <>
      {children(items.slice(from, from + rows))}
      <div class="pager" role="group" aria-label={`Pages of the list of ${names}`}>
        <span role="status">
          {items.length <= rows
            ? counted(items.length, name, names)
            : `${count(from + 1)} to ${count(Math.min(from + rows, items.length))} of ${count(items.length)} ${names}`}
        </span>
        {items.length > rows ? (
          <>
            <Button kind="quiet" isDisabled={at === 0} onClick={() => setPage(0)}>First</Button>
            <Button kind="quiet" isDisabled={at === 0} onClick={() => setPage(at - 1)}>Previous</Button>
            <Button kind="quiet" isDisabled={at === last} onClick={() => setPage(at + 1)}>Next</Button>
            <Button kind="quiet" isDisabled={at === last} onClick={() => setPage(last)}>Last</Button>
          </>
        ) : null}
      </div>
    </>
  );
}
