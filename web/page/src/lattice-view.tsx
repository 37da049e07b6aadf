// A small lattice as a picture, a large one summed up, and what was evaluated as a list that can be searched.
import {useMemo} from "preact/hooks";
import type {Report} from "./page-jobs-api.js";
import {keyOf, picture, sizeOf, stateOf, type LatticePicture, type NodeState} from "./lattice.js";
import {LatticeStrips} from "./lattice-strips-view.js";
import {count, decimal, kNone} from "./ui/format.js";
import {Card, Grid} from "./ui.js";

const kRowPixels = 46;
const kNodePixels = 26;
const kRadius = 7;

const kClass: Record<NodeState, string> = {
  "chosen": "chosen", "anonymous": "anonymous", "not anonymous": "forbidden", "not checked": "unknown",
};

function Drawn({drawn, names}: {drawn: LatticePicture; names: string[]}) {
  const width = Math.max(320, drawn.widest * kNodePixels);
  const height = Math.max(1, drawn.rows) * kRowPixels;
  const place = (x: number, y: number) => ({
    cx: x * width,
    cy: height - kRowPixels / 2 - y * (height - kRowPixels),
  });
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Picture of the lattice">
      <svg
        class="lattice"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${drawn.nodes.length} transformations, the most general one on top; the list below says the same`}
      >
        {drawn.edges.map(([from, to]) => {
          const a = drawn.nodes[from];
          const b = drawn.nodes[to];
          if (!a || !b) return null;
          const [start, end] = [place(a.x, a.y), place(b.x, b.y)];
          return <line key={`${from} ${to}`} x1={start.cx} y1={start.cy} x2={end.cx} y2={end.cy} />;
        })}
        {drawn.nodes.map((node) => (
          <circle
            key={keyOf(node.levels)}
            {...place(node.x, node.y)}
            r={node.state === "chosen" ? kRadius + 3 : kRadius}
            class={kClass[node.state]}
          >
            <title>{`${names.map((name, at) => `${name} ${node.levels[at] ?? 0}`).join(", ")}: ${node.state}${node.score === null ? "" : `, score ${decimal(node.score)}`}`}</title>
          </circle>
        ))}
      </svg>
    </div>
  );
}

function Legend() {
  return (
    <ul class="legend">
      {(Object.keys(kClass) as NodeState[]).map((state) => (
        <li key={state}>
          <svg width="16" height="16" aria-hidden="true">
            <circle cx="8" cy="8" r="6" class={kClass[state]} />
          </svg>{" "}
          {state}
        </li>
      ))}
    </ul>
  );
}

export function Lattice({report}: {report: Report}) {
  const checked = report.search?.checked ?? [];
  const drawn = useMemo(() => picture(report.heights, checked, report.levels), [report]);
  if (!report.search || report.mondrian) return null;
  const table = {
    columns: ["levels", "state", "score"],
    rows: checked.map((it) => [
      keyOf(it.levels),
      stateOf(it, it.levels, report.levels),
      it.score === undefined ? null : String(it.score),
    ]),
    notices: [],
  };
  const size = sizeOf(report.heights);
  return (
    <Card title="Lattice">
      <p class="hint">
        Each of the {count(size)} transformations has a generalization level for each of{" "}
        {report.quasi_identifiers.join(", ")}
        {drawn ? "; a line adds one level" : ""}. Transformations whose result follows from others are not
        evaluated.
      </p>
      {drawn ? (
        <>
          <Legend />
          <Drawn drawn={drawn} names={report.quasi_identifiers} />
        </>
      ) : (
        <LatticeStrips report={report} />
      )}
      {checked.length > 0 ? (
        <details>
          <summary>Evaluated transformations ({count(checked.length)})</summary>
          <Grid
            caption="Evaluated transformations, in order"
            table={table}
            columns={[
              {key: "levels"},
              {key: "state"},
              {
                key: "score",
                isNumber: true,
                cell: (row) => (row["score"] ? decimal(Number(row["score"])) : kNone),
              },
            ]}
          />
        </details>
      ) : (
        <p class="hint">
          pgveil lists the evaluated transformations of lattices of up to 10 000 transformations. This one is
          larger.
        </p>
      )}
    </Card>
  );
}
