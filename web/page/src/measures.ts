// What a run is worth, in figures that can be put beside another's.
import type {Figures, Report, Run, RunDetails} from "./page-jobs-api.js";
import {count, decimal, kNone, percent} from "./ui/format.js";

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

export interface ComparedSizes {
  label: string;
  /** Records; null: there is no such side. */
  before: number | null;
  after: number | null;
}

/** Records by the size of their class, before and after, over all records of the input: those that are not in
 * a class of the result are named last. starred: records of the result that show only `*`; they are one class.
 * dropped: records that were left out. unsampled: those that differential privacy did not take. */
export function comparedSizes(
  before: Figures | null,
  after: Figures | null,
  starred: number,
  dropped: number,
  unsampled = 0,
): ComparedSizes[] {
  let isTaken = starred === 0;
  const shown = (after?.histogram ?? []).map(([size, classes]): [number, number] => {
    if (isTaken || size !== starred) return [size, classes];
    isTaken = true;
    return [size, classes - 1];
  });
  const [old, now] = [buckets(before?.histogram ?? []), buckets(shown)];
  const longer = old.length > now.length ? old : now;
  const made = longer.map((bucket, at): ComparedSizes => ({
    label: bucketName(bucket),
    before: before ? (old[at]?.records ?? 0) : null,
    after: after ? (now[at]?.records ?? 0) : null,
  }));
  const none = before ? 0 : null;
  if (starred > 0) made.push({label: "shown as * only", before: none, after: starred});
  if (dropped > 0) made.push({label: "left out", before: none, after: dropped});
  if (unsampled > 0) made.push({label: "not sampled", before: none, after: unsampled});
  return made;
}

/** "my_job · mondrian · k 5": runs of one job are told apart by what was asked of them. */
export function titleOf({name, report}: Pick<Run, "name" | "report">): string {
  if (!report) return name;
  const algorithm = report.mondrian?.algorithm ?? report.search?.algorithm;
  return [name, algorithm, `k ${report.k}`].filter(it => it !== undefined).join(" · ");
}

export {kNone};

const share = (part: number | undefined) => (part === undefined ? kNone : percent(part));
const number = (value: number | null | undefined) =>
  value === null || value === undefined ? kNone : decimal(value);
const amount = (value: number | undefined) => (value === undefined ? kNone : count(value));

const scoreIn = (report: Report): string => {
  const score = report.scores[report.metric];
  return Array.isArray(score) ? score.map(number).join(", ") : number(score);
};

const provenWords = (report: Report): string => {
  if (report.mondrian || !report.search || report.differential_privacy) return kNone;
  if (!report.search.is_proven) return "best found, not proven";
  return report.is_recoding_proven ? "proven optimum" : "proven optimum; local recoding is not proven";
};

/** "ε 1, δ 1e-6" */
export const privacyWords = ({epsilon, delta}: {epsilon: number; delta: number}): string =>
  `ε ${epsilon}, δ ${delta}`;

/** Records that were read, whether a sample was drawn of them or not. */
export const recordsRead = ({rows, differential_privacy: sampled}: Report): number =>
  sampled?.read_rows ?? rows;

type Values = Record<string, string>;

function ofReport(run: RunDetails, report: Report): Values {
  const cut = report.mondrian;
  const sampled = report.differential_privacy;
  return {
    "k": String(report.k),
    "differential privacy": sampled ? privacyWords(sampled) : kNone,
    "records sampled": sampled ? `${count(report.rows)} of ${count(sampled.read_rows)}` : kNone,
    "probability of a record to be sampled": share(sampled?.beta),
    "models": report.models.join(", ") || kNone,
    "algorithm": cut?.algorithm ?? report.search?.algorithm ?? kNone,
    "metric": cut ? kNone : report.metric,
    "score": cut ? kNone : scoreIn(report),
    "result": provenWords(report),
    "mean loss of a cell (GCP)": share(report.certainty_penalty),
    "rows published": count(report.published_rows),
    "rows suppressed": count(report.suppressed_rows),
    "rows shown by further transformations": recodedWords(report),
    "classes": count(report.classes),
    "smallest class": count(report.smallest_class),
    "groups": amount(cut?.groups),
    "smallest group": amount(cut?.smallest),
    "largest group": amount(cut?.largest),
    "no groups lose less than": share(cut?.gcp_bound),
    "discernibility penalty": number(cut?.discernibility_penalty),
    "transformations evaluated": count(run.checks),
  };
}

/** A dash: the job asked for none. */
function recodedWords({recoding}: Report): string {
  if (recoding.length === 0) return kNone;
  const further = recoding.slice(1);
  return further.length === 0
    ? "0"
    : `${count(further.reduce((sum, it) => sum + it.records, 0))}, by ${further.length}`;
}

function ofRisk(after: Figures): Values {
  return {
    "maximum risk": share(after.highest_risk),
    "average risk": share(after.mean_risk),
    "rows with a risk above 20 %": share(after.at_risk),
  };
}

const kNames = [
  "k",
  "differential privacy",
  "records sampled",
  "probability of a record to be sampled",
  "models",
  "algorithm",
  "metric",
  "score",
  "result",
  "mean loss of a cell (GCP)",
  "rows published",
  "rows suppressed",
  "rows shown by further transformations",
  "classes",
  "smallest class",
  "groups",
  "smallest group",
  "largest group",
  "discernibility penalty",
  "maximum risk",
  "average risk",
  "rows with a risk above 20 %",
  "transformations evaluated",
];

/** Names and values, the same names for every run. */
export function figuresOf(run: RunDetails): [string, string][] {
  const values: Values = {
    ...(run.report ? ofReport(run, run.report) : {}),
    ...(run.measures?.after ? ofRisk(run.measures.after) : {}),
  };
  return kNames.map(name => [name, values[name] ?? kNone]);
}

/** Of each quasi-identifier: how high it was generalized, and what was lost by it. */
export function attributesOf(run: RunDetails): {name: string; level: string; loss: number | null}[] {
  const report = run.report;
  if (!report) return [];
  const level = (at: number) =>
    report.mondrian ? "by group" : `${report.levels[at] ?? 0} of ${report.heights[at] ?? 0}`;
  return report.quasi_identifiers.map((name, at) => ({name, level: level(at), loss: run.losses[at] ?? null}));
}
