// What wants a decision by somebody, the most pressing first.
import {linkTo, linkToProtect} from "../route.js";
import type {Tone} from "../ui/badge.js";
import {counted} from "../ui/format.js";
import {hasDrifted, type Health} from "./health.js";
import {isPersonal, type DatabaseStanding} from "./tables.js";

export interface Decision {
  key: string;
  tone: Tone;
  /** What is the matter, in a word. */
  what: string;
  title: string;
  text: string;
  link: string;
  linkText: string;
}

const sentence = (text: string) => {
  const trimmed = text.trim().replace(/\.$/, "");
  return trimmed === "" ? "" : `${trimmed[0]?.toUpperCase()}${trimmed.slice(1)}.`;
};

function ofPolicy(it: Health): Decision[] {
  const link = linkTo(it.policy);
  const failure = it.failedAt ? ` The last build failed: ${it.failure ?? "the reason is for admins"}.` : "";
  switch (it.state) {
    case "closed":
      return [{
        key: `closed ${it.policy}`,
        tone: "bad",
        what: "closed",
        title: `${it.policy} is closed`,
        text: `${sentence(it.reason)} Nobody can query ${it.table} until it is built.${failure}`,
        link,
        linkText: "Look at it",
      }];
    case "unbuilt":
      return [{
        key: `unbuilt ${it.policy}`,
        tone: "warn",
        what: "not built",
        title: `${it.policy} was never built`,
        text: `Nobody can query ${it.table} until it is built.${failure}`,
        link,
        linkText: "Build it",
      }];
    case "open": {
      const drifted: Decision[] = !hasDrifted(it.finding) ? [] : [{
        key: `drift ${it.policy}`,
        tone: "warn",
        what: "drift",
        title: `${it.table} is no longer as ${it.policy} was built`,
        text: `${sentence(it.finding ?? "")} Readers still see this version.`,
        link,
        linkText: "Look at it",
      }];
      if (!it.failedAt) return drifted;
      return [...drifted, {
        key: `failed ${it.policy}`,
        tone: "warn",
        what: "build failed",
        title: `The last build of ${it.policy} failed`,
        text: `${sentence(it.failure ?? "the reason is for admins")} The version before is still in force.`,
        link,
        linkText: "Look at it",
      }];
    }
    case "building":
      return [];
  }
}

function ofDatabase({database, tables}: DatabaseStanding): Decision[] {
  const exposed = tables.filter(it => it.state === "open" && isPersonal(it));
  return exposed.map(it => ({
    key: `exposed ${database} ${it.table}`,
    tone: "bad",
    what: "unprotected",
    title: `${it.table} is read as it is`,
    text: `${sentence(it.reason)} Whoever may connect to ${database} reads all of it.`,
    link: linkToProtect(database, it.table),
    linkText: "Protect it",
  }));
}

function unlisted({database, tables}: DatabaseStanding): Decision[] {
  const hidden = tables.filter(it => it.state === "unlisted" && isPersonal(it));
  const first = hidden[0];
  if (!first) return [];
  const named = hidden.slice(0, 3).map(it => it.table).join(", ");
  const others = hidden.length > 3 ? ` and ${counted(hidden.length - 3, "other")}` : "";
  return [{
    key: `unlisted ${database}`,
    tone: "info",
    what: "not offered",
    title: `${counted(hidden.length, "table")} of ${database} with personal data cannot be queried yet`,
    text: `Nobody reads ${named}${others} through pgveil. Protect what analysts should be able to query.`,
    link: hidden.length === 1 ? linkToProtect(database, first.table) : "#/protect",
    linkText: "Protect a table",
  }];
}

export function decisionsOf(policies: Health[], databases: DatabaseStanding[]): Decision[] {
  const all = [
    ...policies.flatMap(ofPolicy),
    ...databases.flatMap(ofDatabase),
    ...databases.flatMap(unlisted),
  ];
  const rank: Record<Tone, number> = {bad: 0, warn: 1, info: 2, neutral: 3, good: 4};
  return all.map((it, at) => ({it, at}))
    .sort((a, b) => rank[a.it.tone] - rank[b.it.tone] || a.at - b.at)
    .map(({it}) => it);
}
