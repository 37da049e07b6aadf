// Where the page is, in the part of the address behind #: it never reaches a server or its log.

/** A filter of the audit log that a link sets. */
export interface AuditLink {
  key: "role" | "reason" | "event" | "verdict" | "database" | "text";
  value: string;
}

const kAuditKeys: readonly AuditLink["key"][] = ["role", "reason", "event", "verdict", "database", "text"];

export type Route =
  | {page: "home"}
  | {page: "policies"}
  | {page: "policy"; policy: string}
  | {page: "design"}
  | {page: "query"}
  | {page: "operations"}
  | {page: "jobs"}
  | {page: "protect"; at: {database: string; table: string} | null}
  | {page: "audit"; filter?: AuditLink}
  | {page: "new-job"}
  | {page: "run"; run: string}
  | {page: "compare"; left: string; right: string};

const kPlain = ["home", "policies", "design", "query", "operations", "jobs", "audit", "new-job"] as const;
const isPlain = (text: string): text is (typeof kPlain)[number] => kPlain.some(it => it === text);

const kStart: Route = {page: "home"};

export function routeOf(hash: string): Route {
  let parts: string[];
  try {
    parts = hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  } catch {
    return kStart;
  }
  const [first = "", second = "", third = ""] = parts;
  if (parts.includes("") && parts.length > 1) return kStart;
  switch (parts.length) {
    case 1:
      if (first === "protect") return {page: "protect", at: null};
      return isPlain(first) ? {page: first} : kStart;
    case 2:
      if (first === "policies") return {page: "policy", policy: second};
      return first === "runs" ? {page: "run", run: second} : kStart;
    case 3:
      if (first === "protect") return {page: "protect", at: {database: second, table: third}};
      if (first === "audit") {
        const key = kAuditKeys.find(it => it === second);
        return key ? {page: "audit", filter: {key, value: third}} : {page: "audit"};
      }
      return first === "compare" ? {page: "compare", left: second, right: third} : kStart;
    default:
      return kStart;
  }
}

export const linkTo = (policy: string) => `#/policies/${encodeURIComponent(policy)}`;
export const linkToRun = (run: string) => `#/runs/${encodeURIComponent(run)}`;
export const linkToComparison = (left: string, right: string) =>
  `#/compare/${encodeURIComponent(left)}/${encodeURIComponent(right)}`;
export const linkToProtect = (database: string, table: string) =>
  `#/protect/${encodeURIComponent(database)}/${encodeURIComponent(table)}`;
export const linkToAudit = (key: AuditLink["key"], value: string) =>
  `#/audit/${key}/${encodeURIComponent(value)}`;
