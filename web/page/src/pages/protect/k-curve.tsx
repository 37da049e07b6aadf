// k against what is shown and how wrong counts are. k has a logarithmic axis, because small k differ most.
import {kStops, type Measured} from "../../protect/curve.js";
import {ChartFrame, Legend} from "../../ui/charts/frame.js";
import {linear, nearest, pathOf} from "../../ui/charts/scale.js";
import {percent} from "../../ui/format.js";

const kHeight = 230;
const [kLeft, kRight, kTop, kBottom] = [46, 14, 10, 28];
const kShares = [0, 0.25, 0.5, 0.75, 1];
const kTicks = [2, 5, 10, 20, 50, 100];

export function KCurve({points, k, onChoose}: {
  points: Measured[];
  k: number;
  onChoose: (k: number) => void;
}) {
  const ordered = [...points].sort((a, b) => a.k - b.k);
  const most = Math.max(100, k, ...ordered.map(it => it.k));
  const y = linear([0, 1], [kHeight - kBottom, kTop]);
  const here = ordered.find(it => it.k === k);
  const told = here
    ? `at k = ${k}, ${percent(here.shown)} of the values are shown`
      + (here.error === null ? "" : ` and counts are ${percent(here.error)} too low on average`)
    : `${ordered.length} points are known`;
  const rows = ordered.map(it =>
    [String(it.k), percent(it.shown), it.error === null ? "–" : percent(it.error)]);
  return (
    <ChartFrame
      summary={`What is shown and how wrong counts are, by k: ${told}`}
      height={kHeight}
      legend={<Legend names={["values shown", "counts too low"]} />}
      table={{columns: ["k", "values shown", "counts too low"], rows}}
      draw={(width) => {
        const x = linear([Math.log(2), Math.log(most)], [kLeft, width - kRight]);
        const back = linear([kLeft, width - kRight], [Math.log(2), Math.log(most)]);
        const placed = (value: (it: Measured) => number | null) => ordered.flatMap((it) => {
          const own = value(it);
          return own === null ? [] : [{x: x(Math.log(it.k)), y: y(own)}];
        });
        const lines = [placed(it => it.shown), placed(it => it.error)];
        return (
          <g
            class="k-curve"
            onClick={(event) => {
              const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect();
              if (!box) return;
              const wanted = back(((event.clientX - box.left) / box.width) * width);
              const stop = nearest(kStops.map(it => ({x: Math.log(it), y: it})), wanted);
              if (stop) onChoose(stop.y);
            }}
          >
            <rect
              x={kLeft}
              y={kTop}
              width={Math.max(0, width - kLeft)}
              height={kHeight - kTop}
              fill="transparent"
            />
            {kShares.map(share => (
              <g key={share}>
                <line class="rule" x1={kLeft} x2={width - kRight} y1={y(share)} y2={y(share)} />
                <text x={kLeft - 6} y={y(share) + 4} text-anchor="end">{`${100 * share} %`}</text>
              </g>
            ))}
            {kTicks.filter(it => it <= most).map(it => (
              <text key={it} x={x(Math.log(it))} y={kHeight - 8} text-anchor="middle">
                {it === 2 ? "k = 2" : it}
              </text>
            ))}
            {k >= 2 && k <= most ? (
              <line class="k-mark" x1={x(Math.log(k))} x2={x(Math.log(k))} y1={kTop} y2={kHeight - kBottom} />
            ) : null}
            {lines.map((line, at) => (
              <g key={at} class={`s${at + 1}`}>
                <path class="line" d={pathOf(line)} />
                {line.map(it => <circle key={it.x} class="dot" cx={it.x} cy={it.y} r={3} />)}
              </g>
            ))}
            {here ? [here.shown, here.error].map((value, at) => value === null ? null : (
              <circle key={at} class={`dot s${at + 1}`} cx={x(Math.log(k))} cy={y(value)} r={6} />
            )) : null}
          </g>
        );
      }}
    />
  );
}
