// How a policy is doing, of a line of SHOW POLICIES.
import type {Row} from "../table.js";
import {ago} from "../ui/format.js";

export type Health = "closed" | "building" | "failed" | "open";

export interface PolicyHealth {
  health: Health;
  /** In a word or two. */
  word: string;
  tone: "good" | "warn" | "bad" | "info";
  /** Why, if it is not simply open; a whole text of the console. */
  why: string | null;
}

/** Policies that want a decision come first. */
const kOrder: Health[] = ["closed", "failed", "building", "open"];

export function healthOf(row: Row, now: number): PolicyHealth {
  const building = row["building"] ?? null;
  if (row["state"] !== "open")
    return building
      ? {health: "building", word: "closed, building", tone: "info", why: building}
      : {health: "closed", word: "closed", tone: "bad", why: row["closed_because"] ?? null};
  if (building) return {health: "building", word: "open, building", tone: "info", why: building};
  const failed = row["last_failure"] ?? null;
  const built = row["built_at"] ?? null;
  if (failed && (!built || failed > built)) {
    const when = Date.parse(failed);
    const told = Number.isNaN(when) ? failed : ago(when, now);
    const why = row["failure"] ? `: ${row["failure"]}` : "";
    return {
      health: "failed",
      word: "open, last build failed",
      tone: "warn",
      why: `The build of ${told} failed${why}`,
    };
  }
  return {health: "open", word: "open", tone: "good", why: null};
}

export function byHealth(rows: Row[], now: number): Row[] {
  const rank = (row: Row) => kOrder.indexOf(healthOf(row, now).health);
  return [...rows].sort(
    (a, b) => rank(a) - rank(b) || ((a["policy"] ?? "") < (b["policy"] ?? "") ? -1 : 1),
  );
}
