// How numbers, sizes and times are written, everywhere on the page.

const kThin = "\u00a0";  // keeps a number and its unit on one line
export const kNone = "–";

/** "50 010"; a dash for what is no number. */
export function count(number: number): string {
  if (!Number.isFinite(number)) return kNone;
  return Math.round(number).toLocaleString("en-US").replaceAll(",", kThin);
}

/** share in [0, 1] → "62.3 %". */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return kNone;
  return `${(100 * share).toFixed(1)}${kThin}%`;
}

/** "3 %", "0.4 %", "less than 0.1 %": for shares that are estimates. */
export function roughly(share: number): string {
  const parts = 100 * share;
  if (parts === 0) return `0${kThin}%`;
  if (parts < 0.1) return `less than 0.1${kThin}%`;
  return `${parts < 9.95 ? Number(parts.toFixed(1)) : Math.round(parts)}${kThin}%`;
}

/** Four significant digits: 0.2530833 → "0.2531", 12345.6 → "12 346". */
export function decimal(number: number): string {
  if (!Number.isFinite(number)) return kNone;
  if (Math.abs(number) >= 10_000) return count(number);
  return String(Number(number.toPrecision(4)));
}

/** Three significant digits at most, with the unit that fits. */
export function duration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return kNone;
  const short = (number: number, unit: string) => `${Number(number.toPrecision(3))}${kThin}${unit}`;
  const amount = Math.abs(milliseconds);
  if (amount === 0) return `0${kThin}ms`;
  if (amount < 1) return short(1000 * milliseconds, "µs");
  if (amount < 999.5) return short(milliseconds, "ms");
  if (amount < 59_950) return short(milliseconds / 1000, "s");
  const two = (larger: number, unit: string, smaller: number, rest: string) =>
    smaller === 0 ? `${larger}${kThin}${unit}` : `${larger}${kThin}${unit} ${smaller}${kThin}${rest}`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return two(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return two(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(minutes / 60);
  return two(Math.floor(hours / 24), "d", hours % 24, "h");
}

/** Powers of 1024, as PostgreSQL writes sizes. */
export function bytes(number: number): string {
  if (!Number.isFinite(number)) return kNone;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  let amount = number;
  while (Math.abs(amount) >= 1024 && at < units.length - 1) {
    amount /= 1024;
    at++;
  }
  return `${at === 0 ? amount : Number(amount.toPrecision(3))}${kThin}${units[at]}`;
}

const kSteps: [seconds: number, unit: string][] = [[86_400, "day"], [3_600, "hour"], [60, "minute"]];

/** How long ago, in words; what is ahead is "just now", as clocks differ. */
export function ago(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  for (const [size, unit] of kSteps) {
    const many = Math.floor(seconds / size);
    if (many > 0) return `${many} ${unit}${many === 1 ? "" : "s"} ago`;
  }
  return "just now";
}

/** "22 Nov 2026, 19:16" in the reader's time zone. */
export function dateTime(then: number): string {
  return new Date(then).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** "one policy", "3 policies": the plural is given when it does not end in s. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return number === 1 ? `one ${one}` : `${count(number)} ${many}`;
}
