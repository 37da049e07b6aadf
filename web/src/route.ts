// Where the page is, in the part of the address behind #: it never reaches a server or its log.

export type Route =
  | {page: "policies"}
  | {page: "policy"; policy: string}
  | {page: "design"}
  | {page: "query"}
  | {page: "operations"}
  | {page: "jobs"};

export function routeOf(hash: string): Route {
  const [first = "", second = "", ...more] = hash.replace(/^#\/?/, "").split("/");
  if (more.length > 0) return {page: "policies"};
  if (first === "policies" && second !== "") {
    try {
      return {page: "policy", policy: decodeURIComponent(second)};
    } catch {
      return {page: "policies"};
    }
  }
  if (second !== "") return {page: "policies"};
  switch (first) {
    case "design":
    case "query":
    case "operations":
    case "jobs":
      return {page: first};
    default:
      return {page: "policies"};
  }
}

export const linkTo = (policy: string) => `#/policies/${encodeURIComponent(policy)}`;
