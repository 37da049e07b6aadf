// How policies are, from a row of SHOW POLICIES.
import type {Row} from "../table.js";
import type {Tone} from "../ui/badge.js";

export interface Health {
  policy: string;
  database: string;
  table: string;
  state: "open" | "closed" | "unbuilt" | "building";
  tone: Tone;
  /** Why it is not as it should be; empty: it is. */
  reason: string;
  builtAt: string | null;
  version: string | null;
  k: string;
  /** As the console writes it. */
  disclosed: string | null;
  meanError: string | null;
  failedAt: string | null;
  failure: string | null;
  /** When this version was last compared with its table; null: not since pgveil started. */
  checkedAt: string | null;
  /** What was found then, for admins. */
  finding: string | null;
}

/** A finding of CHECK POLICY begins with "ok" where nothing is wrong. */
export const hasDrifted = (finding: string | null) => finding !== null && !/^ok(:|$)/.test(finding);

const kNeverBuilt = "build needed";

export function healthOf(row: Row): Health {
  const at = (key: string) => row[key] ?? null;
  const building = at("building");
  const closedBecause = at("closed_because");
  const isOpen = at("state") === "open";
  const isUnbuilt = !isOpen && closedBecause === kNeverBuilt && at("version") === null;
  const state = isOpen ? "open" : building ? "building" : isUnbuilt ? "unbuilt" : "closed";
  const failedAt = at("last_failure");
  const finding = at("finding");
  const tone: Tone = state === "open" ? (failedAt || hasDrifted(finding) ? "warn" : "good")
    : state === "building" ? "info" : state === "unbuilt" ? "warn" : "bad";
  return {
    policy: at("policy") ?? "",
    database: at("database") ?? "",
    table: at("table") ?? "",
    state,
    tone,
    reason: building ?? (isOpen ? "" : isUnbuilt ? "never built" : closedBecause ?? "it is not known why"),
    builtAt: at("built_at"),
    version: at("version"),
    k: at("k") ?? "",
    disclosed: at("disclosed"),
    meanError: at("mean_error"),
    failedAt,
    failure: at("failure"),
    checkedAt: at("last_check"),
    finding,
  };
}

/** What is worst comes first; of equals the one with the first name. */
export function byUrgency(policies: Health[]): Health[] {
  const rank: Record<Health["state"], number> = {closed: 0, unbuilt: 1, building: 2, open: 4};
  const isDoubtful = (it: Health) => it.failedAt !== null || hasDrifted(it.finding);
  const of = (it: Health) => (it.state === "open" && isDoubtful(it) ? 3 : rank[it.state]);
  return [...policies].sort((a, b) => of(a) - of(b) || (a.policy < b.policy ? -1 : 1));
}
