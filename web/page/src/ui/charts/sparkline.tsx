import {decimal} from "../format.js";
import {areaOf, linear, pathOf} from "./scale.js";

const kWidth = 96;
const kHeight = 24;

/** A trend in the size of a word: no axes, the last value is written beside it by who uses it. */
export function Sparkline({label, values, format = decimal}: {
  label: string;
  values: number[];
  format?: (value: number) => string;
}) {
  const most = Math.max(0, ...values);
  const x = linear([0, Math.max(1, values.length - 1)], [2, kWidth - 2]);
  const y = linear([0, most || 1], [kHeight - 2, 2]);
  const points = values.map((value, at) => ({x: x(at), y: y(value)}));
  const last = values[values.length - 1];
  const said = last === undefined ? "no value yet" : `now ${format(last)}, at most ${format(most)}`;
  return (
    <span class="chart sparkline s1">
      <svg
        viewBox={`0 0 ${kWidth} ${kHeight}`}
        role="img"
        aria-label={`${label}: ${said}`}
      >
        <g class="s1">
          <path class="area" d={areaOf(points, kHeight - 2)} />
          <path class="line" d={pathOf(points)} />
        </g>
      </svg>
    </span>
  );
}
