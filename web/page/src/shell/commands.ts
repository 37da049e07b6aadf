// What the command palette offers.
import {api} from "../api.js";
import {linkTo, linkToProtect} from "../route.js";
import {records} from "../table.js";
import type {IconName} from "../ui/icon.js";
import type {Theme} from "../ui/theme.js";
import {entriesFor} from "./menu.js";
import type {Command} from "./palette.js";

const open = (link: string) => () => {
  location.hash = link;
};

const kThemes: [theme: Theme, name: string, icon: IconName][] = [
  ["light", "Light theme", "sun"],
  ["dark", "Dark theme", "moon"],
  ["system", "Theme of the system", "system"],
];

export function commandsFor(isAdmin: boolean, acts: {
  theme: (theme: Theme) => void;
  signOut: () => void;
  help: () => void;
}): Command[] {
  return [
    ...entriesFor(isAdmin).map((it): Command => (
      {name: it.title, kind: "page", icon: it.icon, hint: `g ${it.key}`, run: open(`#/${it.page}`)})),
    ...(isAdmin
      ? [{name: "Set up a job", kind: "action", icon: "plus", run: open("#/new-job")} as const]
      : []),
    ...kThemes.map(([theme, name, icon]): Command => (
      {name, kind: "action", icon, run: () => acts.theme(theme)})),
    {name: "Keyboard shortcuts", kind: "action", icon: "keyboard", hint: "?", run: acts.help},
    {name: "Sign out", kind: "action", icon: "out", run: acts.signOut},
  ];
}

/** Policies and tables. What can't be had is left out: the palette then has the pages alone. */
export async function namedThings(isAdmin: boolean): Promise<Command[]> {
  if (!isAdmin) return [];
  const rows = await api.policies().then(records, () => []);
  const policies = rows.map((row): Command => {
    const policy = row["policy"] ?? "";
    const kind = `policy of ${row["table"] ?? ""}`;
    return {name: policy, kind, icon: "policies", run: open(linkTo(policy))};
  });
  const databases = [...new Set(await api.show("databases").then(
    it => records(it).filter(row => row["host"] !== null).map(row => row["name"] ?? ""), () => []))];
  const tables = await Promise.all(databases.map(database =>
    api.tables(database).then(
      them => them.map((table): Command => {
        const run = open(linkToProtect(database, table));
        return {name: table, kind: `table of ${database}`, icon: "table", run};
      }),
      (): Command[] => [])));
  return [...policies, ...tables.flat()];
}
