// Two runs side by side: what was asked of them, and their figures, with the better of the two.
import {attributesOf, figuresOf, kNone} from "./measures.js";
import type {RunDetails} from "./page-jobs-api.js";
import {count, decimal, percent} from "./ui/format.js";

export type Side = "left" | "right";

/** A figure of both runs. */
export interface ComparedFigure {
  name: string;
  left: number | null;
  right: number | null;
  format: (value: number) => string;
  /** Null: neither is better, or only one run has the figure. */
  winner: Side | null;
}

type Direction = "less" | "more" | "neither";

interface Kind {
  name: string;
  direction: Direction;
  format: (value: number) => string;
  of: (run: RunDetails) => number | null | undefined;
}

const kKinds: Kind[] = [
  {
    name: "information loss (GCP)",
    direction: "less",
    format: percent,
    of: it => it.report?.certainty_penalty,
  },
  {name: "records published", direction: "more", format: count, of: it => it.report?.published_rows},
  {name: "records suppressed", direction: "less", format: count, of: it => it.report?.suppressed_rows},
  {
    name: "maximum re-identification risk",
    direction: "less",
    format: percent,
    of: it => it.measures?.after?.highest_risk,
  },
  {
    name: "average re-identification risk",
    direction: "less",
    format: percent,
    of: it => it.measures?.after?.mean_risk,
  },
  {
    name: "records with a risk above 20 %",
    direction: "less",
    format: percent,
    of: it => it.measures?.after?.at_risk,
  },
  {
    name: "smallest equivalence class",
    direction: "more",
    format: count,
    of: it => it.report?.smallest_class,
  },
  {name: "equivalence classes", direction: "more", format: count, of: it => it.report?.classes},
  {
    name: "discernibility penalty",
    direction: "less",
    format: decimal,
    of: it => it.report?.mondrian?.discernibility_penalty,
  },
];

const kWork: Kind = {
  name: "transformations evaluated",
  direction: "neither",
  format: count,
  of: it => (it.report?.search ? it.checks : null),
};

function scoreOf(run: RunDetails): number | null {
  if (!run.report || run.report.mondrian) return null;
  const score = run.report.scores[run.report.metric];
  return typeof score === "number" ? score : null;
}

/** Scores of two metrics can't be compared. */
function scoreKind(left: RunDetails, right: RunDetails): Kind[] {
  const metric = left.report?.metric;
  if (metric === undefined || metric !== right.report?.metric) return [];
  return [{name: `score (${metric})`, direction: "less", format: decimal, of: scoreOf}];
}

function lossKinds(left: RunDetails, right: RunDetails): Kind[] {
  const names = new Set([left, right].flatMap(run => attributesOf(run).map(it => it.name)));
  return [...names].map(name => ({
    name: `loss of ${name}`,
    direction: "less",
    format: percent,
    of: run => attributesOf(run).find(it => it.name === name)?.loss,
  }));
}

function winnerOf(left: number | null, right: number | null, direction: Direction): Side | null {
  if (direction === "neither" || left === null || right === null || left === right) return null;
  return (left < right) === (direction === "less") ? "left" : "right";
}

export function comparedFigures(left: RunDetails, right: RunDetails): ComparedFigure[] {
  return [...kKinds, ...scoreKind(left, right), ...lossKinds(left, right), kWork]
    .map(({name, direction, format, of}): ComparedFigure => {
      const [mine, theirs] = [of(left) ?? null, of(right) ?? null];
      return {name, left: mine, right: theirs, format, winner: winnerOf(mine, theirs, direction)};
    })
    .filter(it => it.left !== null || it.right !== null);
}

/** "+3.2 %" from the left to the right; a dash where one is missing, an equals sign where nothing differs. */
export function difference({left, right, format}: ComparedFigure): string {
  if (left === null || right === null) return kNone;
  if (left === right) return "=";
  return `${right > left ? "+" : "−"}${format(Math.abs(right - left))}`;
}

const kAsked = ["k", "differential privacy", "models", "algorithm", "metric", "result"];

/** What was asked of each run, and how its levels came out. */
export function comparedSettings(left: RunDetails, right: RunDetails): [string, string, string][] {
  const values = (run: RunDetails) =>
    new Map([
      ...figuresOf(run).filter(([name]) => kAsked.includes(name)),
      ...attributesOf(run).map((it): [string, string] => [`level of ${it.name}`, it.level]),
    ]);
  const [mine, theirs] = [values(left), values(right)];
  return [...new Set([...mine.keys(), ...theirs.keys()])]
    .map((name): [string, string, string] => [name, mine.get(name) ?? kNone, theirs.get(name) ?? kNone])
    .filter(([, one, other]) => one !== kNone || other !== kNone);
}
