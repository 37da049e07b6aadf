// How the counters of the live tables went since this page was opened: the server keeps no history of them.
import {useEffect, useState} from "preact/hooks";
import type {Table} from "./api.js";
import {lookLive, type Tables} from "./live.js";
import {records} from "./table.js";

/** Totals at one time. A counter that was not there yet is left out. */
export interface Sample {
  /** Milliseconds since 1970. */
  at: number;
  answered?: number;
  refused?: number;
  received?: number;
  sent?: number;
  clients?: number;
  waiting?: number;
  queryTime?: number;
  /** Server connections. */
  inUse?: number;
  idle?: number;
}

export type Counter = Exclude<keyof Sample, "at">;

const kEverySeconds = 5;
const kMostSamples = 720;

function sum(table: Table | undefined, columns: string[]): number | undefined {
  if (!table) return undefined;
  let total = 0;
  for (const row of records(table)) for (const column of columns) total += Number(row[column] ?? 0) || 0;
  return total;
}

export function sampleOf(tables: Tables, at: number): Sample {
  const counters: Record<Counter, number | undefined> = {
    answered: sum(tables["stats"], ["total_query_count"]),
    refused: sum(tables["refusals"], ["total_count"]),
    received: sum(tables["stats"], ["total_received"]),
    sent: sum(tables["stats"], ["total_sent"]),
    clients: sum(tables["pools"], ["cl_active", "cl_waiting"]),
    waiting: sum(tables["pools"], ["cl_waiting"]),
    queryTime: sum(tables["stats"], ["total_query_time"]),
    inUse: sum(tables["pools"], ["sv_active"]),
    idle: sum(tables["pools"], ["sv_idle"]),
  };
  const sample: Sample = {at};
  for (const [name, value] of Object.entries(counters) as [Counter, number | undefined][])
    if (value !== undefined) sample[name] = value;
  return sample;
}

/** With one more at the end; when there are too many, every other one of the older half goes. */
export function grown(samples: Sample[], sample: Sample, most = kMostSamples): Sample[] {
  const all = [...samples, sample];
  if (all.length <= most) return all;
  const half = Math.floor(all.length / 2);
  return all.filter((_, index) => index >= half || index % 2 === 0);
}

/** Counts per minute between samples. A counter that fell was started anew; from then on it counts again. */
export function perMinute(samples: Sample[], counter: Counter): {x: number; y: number}[] {
  const points: {x: number; y: number}[] = [];
  let before: Sample | null = null;
  for (const sample of samples) {
    const value = sample[counter];
    if (value === undefined) continue;
    const last = before?.[counter];
    if (before && last !== undefined && sample.at > before.at) {
      const more = value >= last ? value - last : value;
      points.push({x: sample.at, y: (60_000 * more) / (sample.at - before.at)});
    }
    before = sample;
  }
  return points;
}

/** How much a counter has grown over all samples. */
export function growth(samples: Sample[], counter: Counter): number {
  let total = 0;
  let last: number | undefined;
  for (const sample of samples) {
    const value = sample[counter];
    if (value === undefined) continue;
    if (last !== undefined) total += value >= last ? value - last : value;
    last = value;
  }
  return total;
}

let samples: Sample[] = [];
const readers = new Set<(samples: Sample[]) => void>();

export function forgetHistory(): void {
  samples = [];
}

/** Samples as long as it is mounted, once for the whole page: the shell does it. */
export function useSampling(): void {
  useEffect(() => {
    let tables: Tables = {};
    let isFresh = false;
    const end = lookLive(live => {
      tables = live.tables;
      isFresh = live.isConnected;
    });
    const timer = setInterval(() => {
      if (!isFresh || Object.keys(tables).length === 0) return;
      samples = grown(samples, sampleOf(tables, Date.now()));
      for (const reader of readers) reader(samples);
    }, 1000 * kEverySeconds);
    return () => {
      clearInterval(timer);
      end();
    };
  }, []);
}

export function useHistory(): Sample[] {
  const [shown, setShown] = useState(samples);
  useEffect(() => {
    setShown(samples);
    readers.add(setShown);
    return () => {
      readers.delete(setShown);
    };
  }, []);
  return shown;
}
