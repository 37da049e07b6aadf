import {decimal} from "../format.js";
import {ChartFrame, Legend} from "./frame.js";

export interface BarGroup {
  label: string;
  /** One for each series; null: there is none. */
  values: (number | null)[];
}

const kBar = 12;
const kLabel = 18;
const kGap = 10;

/**
 * Horizontal bars under their labels, one group for each row. One series needs no legend. max: the whole
 * width (default: the largest value).
 */
export function Bars({label, bars, series = [""], format = decimal, max}: {
  label: string;
  bars: BarGroup[];
  series?: string[];
  format?: (value: number) => string;
  max?: number;
}) {
  const all = bars.flatMap(it => it.values.filter((value): value is number => value !== null));
  const whole = max ?? Math.max(0, ...all);
  const each = kLabel + series.length * (kBar + 3) + kGap;
  const told = (value: number | null | undefined) =>
    value === null || value === undefined ? "–" : format(value);
  const said = bars.slice(0, 12).map(it => `${it.label} ${it.values.map(told).join(", ")}`);
  return (
    <ChartFrame
      summary={`${label}: ${said.join("; ")}`}
      height={Math.max(each, bars.length * each)}
      legend={series.length > 1 ? <Legend names={series} /> : null}
      table={{columns: [label, ...series.map(it => it || "value")],
              rows: bars.map(it => [it.label, ...it.values.map(told)])}}
      draw={width => {
        const track = Math.max(40, width - 84);
        return bars.map((bar, row) => (
          <g key={row} transform={`translate(0 ${row * each})`}>
            <text class="mark-label" x={0} y={12}>{bar.label}</text>
            {bar.values.map((value, at) => {
              const share = value === null || whole <= 0 ? 0 : Math.min(1, Math.max(0, value / whole));
              const y = kLabel + at * (kBar + 3);
              return (
                <g key={at} class={`s${(at % 8) + 1}`}>
                  <rect class="track" x={0} y={y} width={track} height={kBar} rx={3} />
                  <rect class="fill" x={0} y={y} width={share * track} height={kBar} rx={3} />
                  <text class="mark-label" x={track + 8} y={y + 10}>{told(value)}</text>
                </g>
              );
            })}
          </g>
        ));
      }}
    />
  );
}
