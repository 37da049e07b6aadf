// A run on a Spark cluster, in words: its phases, and what its report tells of parts and times.
import {kPhases, type ClusterReport, type Phase, type SparkState} from "./page-jobs-api.js";
import {count} from "./table.js";

const kPhaseNames: Record<Phase, string> = {
  start: "starting on the cluster",
  ship: "sending pgveil to the workers",
  profile: "reading the table's values",
  sample: "finding where to divide it",
  partition: "counting the parts",
  anonymize: "making groups",
  write: "writing them",
  check: "counting again what was written",
};

const isPhase = (name: string): name is Phase => kPhases.some(it => it === name);

const phaseName = (name: string) => (isPhase(name) ? kPhaseNames[name] : name.replaceAll("_", " "));

export interface Step {
  phase: Phase;
  name: string;
  state: "done" | "now" | "to come";
}

/** All of them, in their order; none is marked while no phase is told. */
export function stepsOf({phase}: Pick<SparkState, "phase">): Step[] {
  const now = phase === null ? -1 : kPhases.indexOf(phase);
  return kPhases.map((it, at) => ({
    phase: it,
    name: kPhaseNames[it],
    state: at < now ? "done" : at === now ? "now" : "to come",
  }));
}

/** For who hears the page: says something new once in a phase. */
export function stepWords({phase}: Pick<SparkState, "phase">): string {
  return phase === null
    ? ""
    : `Step ${kPhases.indexOf(phase) + 1} of ${kPhases.length}: ${kPhaseNames[phase]}.`;
}

export const taskWords = ({tasks, done}: Pick<SparkState, "tasks" | "done">) =>
  tasks === 0 ? "not known yet" : `${count(done)} of ${count(tasks)}`;

/** Phases and their milliseconds, in the order of the phases; what is no phase of ours comes last. */
export function timesOf(report: Pick<ClusterReport, "phases_ms">): [name: string, ms: number][] {
  const place = (name: string) => (isPhase(name) ? kPhases.indexOf(name) : kPhases.length);
  return Object.entries(report.phases_ms)
    .sort(([one], [other]) => place(one) - place(other))
    .map(([name, ms]) => [phaseName(name), ms]);
}

export const timeWords = (ms: number) =>
  ms < 1000 ? `${count(Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;

export const kMostPartsShown = 100;

/** The largest first, as it decides how long the run takes; part: its number, from 1. */
export function partsOf(report: Pick<ClusterReport, "records_by_part">): {part: number; records: number}[] {
  return report.records_by_part
    .map((records, at) => ({part: at + 1, records}))
    .sort((one, other) => other.records - one.records || one.part - other.part)
    .slice(0, kMostPartsShown);
}
