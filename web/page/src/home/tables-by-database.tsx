import type {Problem} from "../api.js";
import {linkToProtect} from "../route.js";
import {Badge, Card, count, counted, Skeleton, Trouble} from "../ui.js";
import {countsOf, isPersonal, type DatabaseStanding, type TableCounts} from "./tables.js";

const kStates: [key: "protected" | "closed" | "open" | "unlisted", name: string][] = [
  ["protected", "protected"],
  ["closed", "closed"],
  ["open", "unprotected, read as it is"],
  ["unlisted", "not offered"],
];
const kNamed = 5;

function Shares({counts}: {counts: TableCounts}) {
  return (
    <>
      <div class="shares" aria-hidden="true">
        {kStates.map(([key]) =>
          counts[key] > 0 ? <span key={key} class={key} style={{flexGrow: counts[key]}} /> : null)}
      </div>
      <ul class="shares-legend">
        {kStates.map(([key, name]) => (
          <li key={key} class={key}>{count(counts[key])} {name}</li>
        ))}
      </ul>
    </>
  );
}

/** Which tables of each database are protected, and which are not but look as if they should be. */
export function TablesByDatabase({standing, isBusy, problem}: {
  standing: DatabaseStanding[];
  isBusy: boolean;
  problem: Problem | null;
}) {
  if (isBusy) return <Card title="Tables"><Skeleton lines={4} /></Card>;
  if (problem) return <Card title="Tables"><Trouble problem={problem} /></Card>;
  return (
    <div class="cards">
      {standing.map(it => {
        const personal = it.tables.filter(
          table => isPersonal(table) && (table.state === "open" || table.state === "unlisted"));
        return (
          <Card
            key={it.database}
            title={`Tables of ${it.database}`}
            actions={<a href="#/protect">{`All ${counted(it.tables.length, "table")}`}</a>}
          >
            <Shares counts={countsOf([it])} />
            {personal.length > 0 ? (
              <>
                <h3>Look personal and are not protected</h3>
                <ul class="plain-list">
                  {personal.slice(0, kNamed).map(table => (
                    <li key={table.table}>
                      <a href={linkToProtect(it.database, table.table)}>{table.table}</a>{" "}
                      {table.state === "open" ? <Badge tone="bad">read as it is</Badge> : null}
                      <div class="hint">{table.reason}</div>
                    </li>
                  ))}
                </ul>
                {personal.length > kNamed
                  ? <p class="hint">and {counted(personal.length - kNamed, "other")}</p>
                  : null}
              </>
            ) : null}
          </Card>
        );
      })}
    </div>
  );
}
