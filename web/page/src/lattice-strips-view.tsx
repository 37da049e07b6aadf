// A lattice that has too many nodes for a picture of each: strips by the sum of levels, and a map of two
// columns.
import {useMemo, useState} from "preact/hooks";
import {levelMap, strips, type MapCell, type Strip} from "./lattice-strips.js";
import type {Report} from "./page-jobs-api.js";
import {count, decimal, kNone} from "./ui/format.js";

const kHeight = 14;
const kWidth = 320;

/** Long numbers are told by their power of ten. */
const amount = (number: number) => (number < 1e9 ? count(number) : number.toExponential(1).replace("e+", " · 10^"));

function StripBar({strip}: {strip: Strip}) {
  const {all, anonymous, notAnonymous} = strip;
  const width = (part: number) => (all === 0 ? 0 : (part / all) * kWidth);
  const words = `${amount(anonymous)} anonymous, ${amount(notAnonymous)} not anonymous, ${amount(
    all - anonymous - notAnonymous,
  )} not evaluated`;
  return (
    <svg class="strip" viewBox={`0 0 ${kWidth} ${kHeight}`} preserveAspectRatio="none" role="img" aria-label={words}>
      <rect class="unknown" width={kWidth} height={kHeight} />
      <rect class="anonymous" width={width(anonymous)} height={kHeight} />
      <rect class="forbidden" x={width(anonymous)} width={width(notAnonymous)} height={kHeight} />
    </svg>
  );
}

function Strips({report}: {report: Report}) {
  const made = useMemo(() => strips(report.heights, report.search?.checked ?? [], report.levels), [report]);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Transformations by the sum of their levels">
      <table class="strips">
        <caption>Transformations by the sum of their levels, the most general one first</caption>
        <thead>
          <tr>
            <th scope="col">sum of levels</th>
            <th scope="col">evaluated: anonymous, not anonymous</th>
            <th scope="col" class="number">
              evaluated
            </th>
            <th scope="col" class="number">
              all
            </th>
          </tr>
        </thead>
        <tbody>
          {made.map((it) => (
            <tr key={it.sum} class={it.hasChosen ? "chosen" : ""}>
              <th scope="row">
                {it.sum}
                {it.hasChosen ? " (chosen)" : ""}
              </th>
              <td>
                <StripBar strip={it} />
              </td>
              <td class="number">{count(it.anonymous + it.notAnonymous)}</td>
              <td class="number">{amount(it.all)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const cellClass = (cell: MapCell) =>
  `${cell.best !== null ? "anonymous" : cell.evaluated > 0 ? "forbidden" : "unknown"}${cell.hasChosen ? " chosen" : ""}`;

const cellWords = (cell: MapCell) =>
  cell.best !== null ? decimal(cell.best) : cell.evaluated > 0 ? "not anonymous" : kNone;

function ColumnChoice({label, names, value, onChange}: {
  label: string; names: string[]; value: number; onChange: (at: number) => void;
}) {
  return (
    <label>
      {label}
      <select value={value} onChange={it => onChange(Number(it.currentTarget.value))}>
        {names.map((name, at) => (
          <option key={name} value={at}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The two columns with the most levels. */
function tallest(heights: readonly number[]): [number, number] {
  const [one = 0, other = 1] = heights.map((_, at) => at).sort((a, b) => (heights[b] ?? 0) - (heights[a] ?? 0));
  return [one, other];
}

function LevelMap({report}: {report: Report}) {
  const names = report.quasi_identifiers;
  const [[first, second]] = useState(() => tallest(report.heights));
  const [one, setOne] = useState(first);
  const [other, setOther] = useState(second);
  const cells = useMemo(
    () => levelMap(report.heights, report.search?.checked ?? [], report.levels, [one, other]),
    [report, one, other],
  );
  const title = `Best score of the evaluated transformations by the levels of ${names[one]} and ${names[other]}`;
  return (
    <>
      <div class="row">
        <ColumnChoice label="Rows: levels of" names={names} value={one} onChange={setOne} />
        <ColumnChoice label="Columns: levels of" names={names} value={other} onChange={setOther} />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table class="level-map">
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">level</th>
              {(cells[0] ?? []).map((cell) => (
                <th scope="col" key={cell.levels[1]}>
                  {cell.levels[1]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cells.map((row) => (
              <tr key={row[0]?.levels[0]}>
                <th scope="row">{row[0]?.levels[0]}</th>
                {row.map((cell) => (
                  <td key={cell.levels[1]} class={cellClass(cell)}>
                    {cellWords(cell)}
                    {cell.hasChosen ? <span class="hidden"> (chosen)</span> : null}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export function LatticeStrips({report}: {report: Report}) {
  const isKept = (report.search?.checked ?? []).length > 0;
  return (
    <div class="cards">
      <Strips report={report} />
      {isKept && report.quasi_identifiers.length > 1 ? (
        <div>
          <LevelMap report={report} />
        </div>
      ) : null}
    </div>
  );
}
