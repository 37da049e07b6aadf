import {useState} from "preact/hooks";
import {decimal} from "../format.js";
import {ChartFrame, Legend} from "./frame.js";
import {areaOf, linear, nearest, pathOf, ticks, type Point} from "./scale.js";

export interface Series {
  name: string;
  points: Point[];
}

const kLeft = 52;
const kRight = 12;
const kBottom = 26;
const kTop = 10;

/**
 * Lines over a common x axis. unit: of y, written beside the highest mark. formatX writes the x axis and the
 * table (times, k). marks: vertical lines with a name, such as the k that is chosen. The y axis starts at 0.
 */
export function LineChart({label, series, unit = "", formatX = decimal, formatY = decimal, height = 220,
  marks = [], isFilled = false}: {
  label: string;
  series: Series[];
  unit?: string;
  formatX?: (x: number) => string;
  formatY?: (y: number) => string;
  height?: number;
  marks?: {x: number; name: string}[];
  isFilled?: boolean;
}) {
  const [pointed, setPointed] = useState<number | null>(null);
  const points = series.flatMap(it => it.points);
  const xs = points.map(it => it.x);
  const domain: [number, number] = xs.length ? [Math.min(...xs), Math.max(...xs)] : [0, 1];
  const yMarks = ticks(0, Math.max(0, ...points.map(it => it.y)) || 1);
  const top = yMarks[yMarks.length - 1] ?? 1;
  const y = linear([0, top], [height - kBottom, kTop]);
  const withUnit = (value: number) => `${formatY(value)}${unit ? ` ${unit}` : ""}`;
  const columns = [...new Set(xs)].sort((a, b) => a - b);
  const at = pointed === null ? null : nearest(points, pointed)?.x ?? null;
  const valueAt = (one: Series, x: number) => one.points.find(it => it.x === x);
  const last = columns[columns.length - 1];
  const latest = (one: Series) => one.points[one.points.length - 1];
  return (
    <ChartFrame
      summary={`${label}: ${series.map(it => {
        const end = latest(it);
        return `${it.name} ${end ? `${withUnit(end.y)} at ${formatX(end.x)}` : "has no value"}`;
      }).join("; ")}`}
      height={height}
      legend={series.length > 1 ? <Legend names={series.map(it => it.name)} /> : null}
      table={{columns: ["", ...series.map(it => (unit ? `${it.name} (${unit})` : it.name))],
              rows: columns.map(x => [formatX(x), ...series.map(it => {
                const point = valueAt(it, x);
                return point ? formatY(point.y) : "–";
              })])}}
      draw={width => {
        const x = linear(domain, [kLeft, width - kRight]);
        const invert = linear([kLeft, width - kRight], domain);
        const xMarks = ticks(domain[0], domain[1], Math.max(2, Math.floor(width / 130)))
          .filter(it => it >= domain[0] && it <= domain[1]);
        const shown = xMarks.length > 1 || last === undefined ? xMarks : [...new Set([domain[0], last])];
        return (
          <g
            onPointerMove={event => {
              const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
              if (box) setPointed(invert(((event.clientX - box.left) / box.width) * width));
            }}
            onPointerLeave={() => setPointed(null)}
          >
            <rect x={kLeft} y={0} width={Math.max(0, width - kLeft)} height={height} fill="transparent" />
            {yMarks.map((mark, row) => (
              <g key={mark}>
                <line class="rule" x1={kLeft} x2={width - kRight} y1={y(mark)} y2={y(mark)} />
                <text x={kLeft - 6} y={y(mark) + 4} text-anchor="end">
                  {row === yMarks.length - 1 ? withUnit(mark) : formatY(mark)}
                </text>
              </g>
            ))}
            {shown.map(mark => (
              <text key={mark} x={x(mark)} y={height - 8} text-anchor="middle">{formatX(mark)}</text>
            ))}
            {marks.map(mark => (
              <g key={mark.name}>
                <line class="limit" x1={x(mark.x)} x2={x(mark.x)} y1={kTop} y2={height - kBottom} />
                <text class="mark-label" x={x(mark.x) + 4} y={kTop + 10}>{mark.name}</text>
              </g>
            ))}
            {series.map((one, which) => {
              const placed = one.points.map(it => ({x: x(it.x), y: y(it.y)}));
              const end = placed[placed.length - 1];
              return (
                <g key={one.name} class={`s${(which % 8) + 1}`}>
                  {isFilled ? <path class="area" d={areaOf(placed, height - kBottom)} /> : null}
                  <path class="line" d={pathOf(placed)} />
                  {end && placed.length === 1 ? <circle class="dot" cx={end.x} cy={end.y} r={4} /> : null}
                </g>
              );
            })}
            {at === null ? null : (
              <g>
                <line class="rule" x1={x(at)} x2={x(at)} y1={kTop} y2={height - kBottom} />
                {series.map((one, which) => {
                  const point = valueAt(one, at);
                  if (!point) return null;
                  const isRight = x(at) > width * 0.66;
                  return (
                    <g key={one.name} class={`s${(which % 8) + 1}`}>
                      <circle class="dot" cx={x(at)} cy={y(point.y)} r={4} />
                      <text
                        class="mark-label"
                        x={x(at) + (isRight ? -8 : 8)}
                        y={kTop + 12 + 14 * which}
                        text-anchor={isRight ? "end" : "start"}
                      >
                        {`${formatX(at)}: ${withUnit(point.y)}${series.length > 1 ? ` ${one.name}` : ""}`}
                      </text>
                    </g>
                  );
                })}
              </g>
            )}
          </g>
        );
      }}
    />
  );
}
