// Lines of the graphs, of the samples that the page takes as long as it is open (history.ts).
import {perMinute, type Counter, type Sample} from "./history.js";

export interface Point {
  x: number;
  y: number;
}

/** A level, as it was at each sample. */
export function levels(samples: readonly Sample[], counter: Counter): Point[] {
  return samples.flatMap(it => {
    const y = it[counter];
    return y === undefined ? [] : [{x: it.at, y}];
  });
}

export const perSecond = (samples: Sample[], counter: Counter): Point[] =>
  perMinute(samples, counter).map(({x, y}) => ({x, y: y / 60}));

/** Milliseconds of PostgreSQL for a statement, on average; no point where none ended. */
export function meanLatency(samples: readonly Sample[]): Point[] {
  return samples.flatMap((after, at) => {
    const before = samples[at - 1];
    const statements = (after.answered ?? 0) - (before?.answered ?? after.answered ?? 0);
    const time = (after.queryTime ?? 0) - (before?.queryTime ?? 0);
    return statements > 0 && time >= 0 ? [{x: after.at, y: time / statements / 1000}] : [];
  });
}
