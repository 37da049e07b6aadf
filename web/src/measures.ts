// What a run is worth, in figures that can be put beside another's.
import type {Figures, RunDetails} from "./desk-api.js";
import {count, percent} from "./table.js";

export interface Bucket {
  from: number;
  to: number;
  records: number;
}

/** Records by the size of their class: 1, 2–4, 5–9, 10–24 … At most a dozen. */
export function buckets(histogram: readonly [size: number, classes: number][]): Bucket[] {
  const edges = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 10_000];
  const made = edges.map((from, at): Bucket => ({from, to: (edges[at + 1] ?? Infinity) - 1, records: 0}));
  for (const [size, classes] of histogram) {
    const bucket = made.find(it => size >= it.from && size <= it.to);
    if (bucket) bucket.records += size * classes;
  }
  const last = made.reduce((latest, it, at) => (it.records > 0 ? at : latest), -1);
  return made.slice(0, last + 1);
}

export function bucketName({from, to}: Bucket): string {
  if (from === to) return String(from);
  return to === Infinity ? `${count(from)} and more` : `${count(from)} to ${count(to)}`;
}

const share = (part: number | undefined) => (part === undefined ? "–" : percent(part, 1));
const number = (value: number | null | undefined) => (value === null || value === undefined ? "–" : String(Number(value.toPrecision(6))));

export function scoreOf(run: RunDetails): string {
  const score = run.report?.scores[run.report.metric];
  return Array.isArray(score) ? score.map(number).join(", ") : number(score);
}

export function provenWords(run: RunDetails): string {
  if (!run.report || run.report.mondrian || !run.report.search) return "–";
  return run.report.search.is_proven ? "the optimum" : "the best found";
}

/** Names and values, the same names for every run. */
export function figuresOf(run: RunDetails): [string, string][] {
  const report = run.report;
  const after: Figures | null = run.measures?.after ?? null;
  return [
    ["k", report ? String(report.k) : "–"],
    ["models", report?.models.join(", ") || "–"],
    ["algorithm", report?.mondrian ? "mondrian" : report?.search?.algorithm ?? "–"],
    ["metric", report && !report.mondrian ? report.metric : "–"],
    ["score", report && !report.mondrian ? scoreOf(run) : "–"],
    ["it is", provenWords(run)],
    ["mean loss of a cell (GCP)", report ? share(report.certainty_penalty) : "–"],
    ["rows published", report ? count(report.published_rows) : "–"],
    ["rows suppressed", report ? count(report.suppressed_rows) : "–"],
    ["classes", report ? count(report.classes) : "–"],
    ["smallest class", report ? count(report.smallest_class) : "–"],
    ["highest risk", share(after?.highest_risk)],
    ["mean risk", share(after?.mean_risk)],
    ["rows at a risk above 20 %", share(after?.at_risk)],
    ["checks", count(run.checks)],
  ];
}

/** Of each quasi-identifier: how high it was generalized, and what was lost by it. */
export function attributesOf(run: RunDetails): {name: string; level: string; loss: number | null}[] {
  const report = run.report;
  if (!report) return [];
  return report.quasi_identifiers.map((name, at) => ({
    name,
    level: report.mondrian ? "by group" : `${report.levels[at] ?? 0} of ${report.heights[at] ?? 0}`,
    loss: run.losses[at] ?? null,
  }));
}

/** Two runs' figures side by side. */
export function comparison(left: RunDetails, right: RunDetails): [string, string, string][] {
  const other = new Map(figuresOf(right));
  const made = figuresOf(left).map(([name, value]): [string, string, string] => [name, value, other.get(name) ?? "–"]);
  const losses = (run: RunDetails) => new Map(attributesOf(run).map(it => [it.name, `level ${it.level}${it.loss === null ? "" : `, ${percent(it.loss, 1)} lost`}`]));
  const [mine, theirs] = [losses(left), losses(right)];
  for (const name of new Set([...mine.keys(), ...theirs.keys()])) made.push([name, mine.get(name) ?? "–", theirs.get(name) ?? "–"]);
  return made;
}
