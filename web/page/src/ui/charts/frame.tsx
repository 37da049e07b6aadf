// What every chart has: a name, a drawing as wide as its place, and its numbers as a table.
import type {ComponentChildren} from "preact";
import {useEffect, useRef, useState} from "preact/hooks";

const kWidthBeforeMeasured = 480;

function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(kWidthBeforeMeasured);
  useEffect(() => {
    const target = place.current;
    if (!target) return;
    const measure = () => setWidth(Math.max(120, Math.round(target.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, []);
  return {place, width};
}

export interface ChartTable {
  columns: string[];
  rows: string[][];
}

const kRows = 200;

/** summary: what the chart shows, in a sentence, for those who do not see it. */
export function ChartFrame({summary, height, draw, table, legend, children}: {
  summary: string;
  height: number;
  draw: (width: number) => ComponentChildren;
  table?: ChartTable;
  legend?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const {place, width} = useWidth();
  return (
    <figure class="chart">
      {legend ?? null}
      <div ref={place} class="chart-place">
        <svg viewBox={`0 0 ${width} ${height}`} height={height} role="img" aria-label={summary}>
          {draw(width)}
        </svg>
        {children}
      </div>
      {table ? (
        <details>
          <summary>The numbers</summary>
          <div class="scroll" tabIndex={0} role="region" aria-label={`The numbers: ${summary}`}>
            <table>
              <thead>
                <tr>{table.columns.map(it => <th scope="col" key={it}>{it}</th>)}</tr>
              </thead>
              <tbody>
                {table.rows.slice(0, kRows).map((row, at) => (
                  <tr key={at}>{row.map((cell, column) => <td key={column}>{cell}</td>)}</tr>
                ))}
              </tbody>
            </table>
            {table.rows.length > kRows ? <p class="hint">and {table.rows.length - kRows} more</p> : null}
          </div>
        </details>
      ) : null}
    </figure>
  );
}

export function Legend({names}: {names: string[]}) {
  return (
    <ul class="chart-legend">
      {names.map((name, at) => <li key={name} class={`s${(at % 8) + 1}`}>{name}</li>)}
    </ul>
  );
}
