// Where things stand in a chart.

/** Round numbers from at most min to at least max, about `wanted` of them; steps of 1, 2 or 5 times 10^n. */
export function ticks(min: number, max: number, wanted = 4): number[] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const span = max > min ? max - min : Math.abs(max) || 1;
  const rough = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find(it => it * power >= rough * 0.999) ?? 10);
  const first = Math.floor(min / step + 1e-9);
  const last = Math.max(Math.ceil(max / step - 1e-9), first + 1);
  return Array.from({length: last - first + 1}, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

export type Scale = (value: number) => number;

export function linear(from: [low: number, high: number], to: [low: number, high: number]): Scale {
  const width = from[1] - from[0];
  return value => (width === 0 ? to[0] : to[0] + ((value - from[0]) / width) * (to[1] - to[0]));
}

export interface Point {
  x: number;
  y: number;
}

const round = (number: number) => Math.round(10 * number) / 10;

/** The d of a path through the points. */
export function pathOf(points: Point[]): string {
  return points.map(({x, y}, at) => `${at === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
}

/** The same, closed down to a base line. */
export function areaOf(points: Point[], base: number): string {
  const first = points[0];
  const last = points[points.length - 1];
  if (!first || !last) return "";
  return `${pathOf(points)}L${round(last.x)} ${round(base)}L${round(first.x)} ${round(base)}Z`;
}

/** The point that is nearest on the x axis; null: there is none. */
export function nearest(points: Point[], x: number): Point | null {
  let best: Point | null = null;
  for (const point of points)
    if (!best || Math.abs(point.x - x) < Math.abs(best.x - x)) best = point;
  return best;
}
