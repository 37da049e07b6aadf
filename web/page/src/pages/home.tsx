// How things stand, and what wants a decision.
import {useMemo, useState} from "preact/hooks";
import {api} from "../api.js";
import {DecisionList} from "../home/decision-list.js";
import {decisionsOf} from "../home/decisions.js";
import {byUrgency, healthOf} from "../home/health.js";
import {PolicyHealth} from "../home/policy-health.js";
import {countsOf, tablesOf, type DatabaseStanding} from "../home/tables.js";
import {TablesByDatabase} from "../home/tables-by-database.js";
import {Traffic} from "../home/traffic.js";
import {records} from "../table.js";
import {
  Button, ButtonLink, Card, count, PageHeader, Skeleton, Stat, Stats, Trouble, useLoaded,
} from "../ui.js";

/** Without those that can't be asked for their tables: what can't be known is left out, and said so. */
async function databasesNow(): Promise<{standing: DatabaseStanding[]; failed: string[]}> {
  const rows = records(await api.show("databases")).filter(it => it["host"] !== null);
  const names = [...new Set(rows.map(it => it["name"] ?? ""))];
  const standing: DatabaseStanding[] = [];
  const failed: string[] = [];
  await Promise.all(names.map(database =>
    tablesOf(database).then(
      tables => standing.push({database, tables}),
      () => failed.push(database))));
  standing.sort((a, b) => (a.database < b.database ? -1 : 1));
  return {standing, failed: failed.sort()};
}

export function Home({isAdmin}: {isAdmin: boolean}) {
  const policies = useLoaded("policies", api.policies);
  const databases = useLoaded(
    isAdmin ? "databases" : "none", () => (isAdmin ? databasesNow() : Promise.resolve(null)));
  const [areAllShown, setAllShown] = useState(false);
  const health = useMemo(
    () => byUrgency(records(policies.value ?? {columns: [], rows: [], notices: []}).map(healthOf)),
    [policies.value]);
  const standing = databases.value?.standing ?? [];
  const counts = useMemo(() => countsOf(standing), [databases.value]);
  const decisions = useMemo(() => decisionsOf(health, standing), [health, databases.value]);
  const open = health.filter(it => it.state === "open").length;
  const protectedTables = new Set(health.map(it => `${it.database} ${it.table}`)).size;
  const refresh = () => {
    policies.again();
    databases.again();
  };
  return (
    <section class="home">
      <PageHeader
        title="Home"
        lead={isAdmin
          ? "How things stand now, and what wants a decision."
          : "How things stand now. You may look at figures; what is in a policy is for admins."}
        actions={
          <>
            <Button icon="refresh" onClick={refresh}>Refresh</Button>
            {isAdmin
              ? <ButtonLink kind="primary" href="#/protect" icon="shield">Protect a table</ButtonLink>
              : null}
          </>
        }
      />
      <Trouble problem={policies.problem} />
      <div class="stack">
        <Card>
          <Stats>
            {isAdmin && standing.length > 0 ? (
              <Stat
                label="Protected tables"
                value={count(counts.protected)}
                unit={`of ${count(counts.all)}`}
                hint={counts.exposed > 0
                  ? `${count(counts.exposed)} with personal data are read as they are`
                  : "none with personal data is read as it is"}
                tone={counts.exposed > 0 ? "bad" : "neutral"}
              />
            ) : (
              <Stat label="Tables with a policy" value={policies.value ? count(protectedTables) : "–"} />
            )}
            <Stat
              label="Open policies"
              value={policies.value ? count(open) : "–"}
              unit={`of ${count(health.length)}`}
              tone={open < health.length ? "bad" : "neutral"}
              hint={open < health.length ? "tables of the others can't be queried" : "all answer queries"}
            />
            <Traffic.Stats />
          </Stats>
        </Card>
        {policies.isBusy ? <Card title="What wants a decision"><Skeleton lines={4} /></Card> : (
          <DecisionList
            decisions={decisions}
            isAdmin={isAdmin}
            areAllShown={areAllShown}
            onShowAll={() => setAllShown(true)}
            failed={databases.value?.failed ?? []}
          />
        )}
        <div class="cards">
          <PolicyHealth policies={health} isAdmin={isAdmin} isBusy={policies.isBusy} />
          <Traffic.Chart />
        </div>
        {isAdmin ? (
          <TablesByDatabase standing={standing} isBusy={databases.isBusy} problem={databases.problem} />
        ) : null}
      </div>
    </section>
  );
}
