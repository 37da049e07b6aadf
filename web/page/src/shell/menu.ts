// The pages: their names, their places in the menu, and who may open them.
import type {Route} from "../route.js";
import type {IconName} from "../ui/icon.js";

export type PageName = Route["page"];

export interface Entry {
  page: PageName;
  title: string;
  /** Where there is little room; otherwise the title. */
  short?: string;
  icon: IconName;
  /** The key that opens it after g. */
  key: string;
  isForAdmins: boolean;
  /** It is always in the bar of a small screen. */
  isMain: boolean;
}

export interface Group {
  title: string;
  entries: Entry[];
}

const home: Entry = {page: "home", title: "Home", icon: "home", key: "h", isForAdmins: false, isMain: true};
const protect: Entry = {
  page: "protect",
  title: "Protect a table",
  short: "Protect",
  icon: "shield",
  key: "t",
  isForAdmins: true,
  isMain: true,
};
const policies: Entry = {
  page: "policies",
  title: "Policies",
  icon: "policies",
  key: "p",
  isForAdmins: false,
  isMain: true,
};
const editor: Entry = {
  page: "design",
  title: "Policy editor",
  icon: "edit",
  key: "e",
  isForAdmins: true,
  isMain: false,
};
const query: Entry = {
  page: "query",
  title: "Query",
  icon: "query",
  key: "q",
  isForAdmins: true,
  isMain: false,
};
const jobs: Entry = {page: "jobs", title: "Jobs", icon: "jobs", key: "j", isForAdmins: false, isMain: true};
const audit: Entry = {
  page: "audit",
  title: "Audit log",
  icon: "audit",
  key: "a",
  isForAdmins: true,
  isMain: false,
};
const operations: Entry = {
  page: "operations",
  title: "Operations",
  icon: "operations",
  key: "o",
  isForAdmins: false,
  isMain: false,
};

const kGroups: Group[] = [
  {title: "", entries: [home]},
  {title: "Protect", entries: [protect, policies, editor, query]},
  {title: "Publish", entries: [jobs]},
  {title: "Watch", entries: [audit, operations]},
];

const kUnder: Partial<Record<PageName, PageName>> = {
  policy: "policies",
  "new-job": "jobs",
  run: "jobs",
  compare: "jobs",
};

const kOnlyAdmins: PageName[] = [
  ...kGroups.flatMap(it => it.entries).filter(it => it.isForAdmins).map(it => it.page),
  "new-job",
  "run",
  "compare",
];

export function groupsFor(isAdmin: boolean): Group[] {
  return kGroups
    .map(group => ({...group, entries: group.entries.filter(it => isAdmin || !it.isForAdmins)}))
    .filter(group => group.entries.length > 0);
}

export const entriesFor = (isAdmin: boolean): Entry[] => groupsFor(isAdmin).flatMap(it => it.entries);

export const mayOpen = (page: PageName, isAdmin: boolean): boolean => isAdmin || !kOnlyAdmins.includes(page);

/** The entry that stands for a page; pages below an entry have none of their own. */
export function entryOf(route: Route): Entry | undefined {
  const page = kUnder[route.page] ?? route.page;
  return kGroups.flatMap(it => it.entries).find(it => it.page === page);
}

/** What the page is called, without the names of pages above it. */
export function titleOf(route: Route): string {
  switch (route.page) {
    case "policy":
      return route.policy;
    case "protect":
      return route.at ? `Protect ${route.at.table}` : "Protect a table";
    case "new-job":
      return "Set up a job";
    case "run":
      return `Run ${route.run}`;
    case "compare":
      return `${route.left} and ${route.right}`;
    case "home":
    case "policies":
    case "design":
    case "query":
    case "operations":
    case "jobs":
    case "audit":
      return entryOf(route)?.title ?? "";
  }
}

/** Of the window: the page first, because tabs are narrow. */
export function windowTitle(route: Route): string {
  const entry = entryOf(route);
  const title = titleOf(route);
  const above = entry && entry.title !== title ? ` · ${entry.title}` : "";
  return `${title}${above} · pgveil`;
}
