import {count} from "../format.js";
import {ChartFrame, Legend} from "./frame.js";
import {linear, ticks} from "./scale.js";

export interface Bin {
  label: string;
  /** One for each series. */
  counts: number[];
}

const kLeft = 48;
const kBottom = 34;
const kTop = 8;

/** Columns side by side, in the order given. xTitle, yTitle: what is counted, and in what. */
export function Histogram({label, bins, series = [""], xTitle, yTitle, height = 220, format = count}: {
  label: string;
  bins: Bin[];
  series?: string[];
  xTitle: string;
  yTitle: string;
  height?: number;
  format?: (value: number) => string;
}) {
  const most = Math.max(0, ...bins.flatMap(it => it.counts)) || 1;
  const marks = ticks(0, most);
  const top = marks[marks.length - 1] ?? most;
  const y = linear([0, top], [height - kBottom, kTop]);
  const fullest = bins.reduce<Bin | null>(
    (best, it) => (!best || Math.max(...it.counts) > Math.max(...best.counts) ? it : best), null);
  return (
    <ChartFrame
      summary={`${label}: ${bins.length} bins of ${xTitle}${fullest ? `, most at ${fullest.label}` : ""}`}
      height={height}
      legend={series.length > 1 ? <Legend names={series} /> : null}
      table={{columns: [xTitle, ...series.map(it => it || yTitle)],
              rows: bins.map(it => [it.label, ...it.counts.map(format)])}}
      draw={width => {
        const each = (width - kLeft) / Math.max(1, bins.length);
        const column = Math.max(1, (each * 0.8) / series.length);
        const step = Math.max(1, Math.ceil(52 / each));
        return (
          <>
            {marks.map(mark => (
              <g key={mark}>
                <line class="rule" x1={kLeft} x2={width} y1={y(mark)} y2={y(mark)} />
                <text x={kLeft - 6} y={y(mark) + 4} text-anchor="end">{format(mark)}</text>
              </g>
            ))}
            {bins.map((bin, at) => (
              <g key={at}>
                {bin.counts.map((value, which) => (
                  <rect
                    key={which}
                    class={`fill s${(which % 8) + 1}`}
                    x={kLeft + at * each + each * 0.1 + which * column}
                    y={y(value)}
                    width={Math.max(1, column - 1)}
                    height={Math.max(0, height - kBottom - y(value))}
                  >
                    <title>{`${bin.label}: ${format(value)} ${yTitle}`}</title>
                  </rect>
                ))}
                {at % step === 0 ? (
                  <text x={kLeft + (at + 0.5) * each} y={height - kBottom + 15} text-anchor="middle">
                    {bin.label}
                  </text>
                ) : null}
              </g>
            ))}
            <text x={width} y={height - 3} text-anchor="end">{xTitle}</text>
          </>
        );
      }}
    />
  );
}
