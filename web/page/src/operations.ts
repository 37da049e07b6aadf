// What the proxy has done since this tab looks: samples of the live tables, and rates between them.
import type {Tables} from "./live.js";
import {records} from "./table.js";

export interface Sample {
  /** Milliseconds. */
  at: number;
  clients: number;
  waiting: number;
  inUse: number;
  idle: number;
  statements: number;
  statementMicroseconds: number;
  refusals: number;
  bytesSent: number;
}

export interface Point {
  x: number;
  y: number;
}

export const kSampleMs = 2_000;
/** Between samples that are further apart the tab was not looking. */
const kGapMs = 5 * kSampleMs;
const kMostSamples = 1_800;

const sumOf = (tables: Tables, topic: string, column: string): number => {
  const table = tables[topic];
  if (!table) return 0;
  return records(table).reduce((sum, row) => sum + (Number(row[column]) || 0), 0);
};

/** Null: the tables are not all there yet. */
export function sampleOf(tables: Tables, at: number): Sample | null {
  if (!tables["pools"] || !tables["stats"] || !tables["refusals"] || !tables["clients"]) return null;
  return {
    at,
    clients: tables["clients"].rows.length,
    waiting: sumOf(tables, "pools", "cl_waiting"),
    inUse: sumOf(tables, "pools", "sv_active"),
    idle: sumOf(tables, "pools", "sv_idle"),
    statements: sumOf(tables, "stats", "total_query_count"),
    statementMicroseconds: sumOf(tables, "stats", "total_query_time"),
    refusals: sumOf(tables, "refusals", "total_count"),
    bytesSent: sumOf(tables, "stats", "total_sent"),
  };
}

/** The last hour, without what a restart of pgveil has set back to 0. */
export function withSample(samples: readonly Sample[], sample: Sample): Sample[] {
  const last = samples[samples.length - 1];
  const kept = last && sample.statements < last.statements ? [] : samples;
  return [...kept, sample].slice(-kMostSamples);
}

export const levels = (samples: readonly Sample[], of: (sample: Sample) => number): Point[] =>
  samples.map(it => ({x: it.at, y: of(it)}));

/** Of neighbours that are near enough: what of(before, after, seconds) makes of them; null: no point. */
export function steps(
  samples: readonly Sample[],
  of: (before: Sample, after: Sample, seconds: number) => number | null,
): Point[] {
  const points: Point[] = [];
  samples.forEach((after, at) => {
    const before = samples[at - 1];
    if (!before || after.at - before.at > kGapMs || after.at <= before.at) return;
    const y = of(before, after, (after.at - before.at) / 1000);
    if (y !== null) points.push({x: after.at, y});
  });
  return points;
}

export const statementsPerSecond = (samples: readonly Sample[]) =>
  steps(samples, (before, after, seconds) => Math.max(0, after.statements - before.statements) / seconds);

export const refusalsPerMinute = (samples: readonly Sample[]) =>
  steps(samples, (before, after, seconds) => (60 * Math.max(0, after.refusals - before.refusals)) / seconds);

/** Milliseconds of PostgreSQL for a statement, on average; no point where none ended. */
export const meanLatency = (samples: readonly Sample[]) =>
  steps(samples, (before, after) => {
    const statements = after.statements - before.statements;
    if (statements <= 0) return null;
    return Math.max(0, after.statementMicroseconds - before.statementMicroseconds) / statements / 1000;
  });
