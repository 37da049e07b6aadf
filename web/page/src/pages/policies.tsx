// The list of policies: health first.
import {useState} from "preact/hooks";
import {api} from "../api.js";
import {Drift} from "../home/drift.js";
import {byUrgency, healthOf, type Health} from "../home/health.js";
import {kStateWords} from "../home/policy-health.js";
import {linkTo} from "../route.js";
import {filtered, records, share, type Row} from "../table.js";
import {count, counted, kNone, percent} from "../ui/format.js";
import {
  Badge, Bar, Button, ButtonLink, Card, EmptyState, Instant, PageHeader, Paged, Skeleton, Stat, Stats, Trouble,
  useAction, useLoaded,
} from "../ui.js";

const kFilterFrom = 8;

function Shown({row}: {row: Row}) {
  const part = share(row["disclosed"]);
  if (part === null) return <>{kNone}</>;
  return (
    <>
      <Bar part={part} whole={1} label={`${percent(part)} of the cells are shown`} /> {percent(part)}
      {row["least_shown"] ? <div class="sub">least: {row["least_shown"]}</div> : null}
    </>
  );
}

function Line({row, health, isAdmin}: {row: Row; health: Health; isAdmin: boolean}) {
  const name = health.policy;
  return (
    <tr role="row">
      <td role="cell" data-label="Policy">
        {isAdmin ? <a href={linkTo(name)}>{name}</a> : <strong>{name}</strong>}
        <div class="sub">{row["table"]} in {row["database"]}</div>
      </td>
      <td role="cell" data-label="State">
        <div>
          <Badge tone={health.tone}>{kStateWords[health.state]}</Badge>
          {health.reason ? <div class="sub">{health.reason}</div> : null}
          {health.failedAt ? (
            <div class="sub">
              build failed <Instant at={health.failedAt} />
              {health.failure ? `: ${health.failure}` : ""}
            </div>
          ) : null}
        </div>
      </td>
      <td role="cell" data-label="Built">
        <div>
          <Instant at={row["built_at"]} />
          {row["version"] ? <div class="sub">version {row["version"]}</div> : null}
        </div>
      </td>
      {isAdmin ? (
        <td role="cell" data-label="Drift">
          <div>{health.state === "open" ? <Drift {...health} /> : kNone}</div>
        </td>
      ) : null}
      <td role="cell" data-label="k" class="number">
        <div>
          {count(Number(row["k"]))}
          <div class="sub">{row["unit"] ? `by ${row["unit"]}` : "by row"}</div>
        </div>
      </td>
      <td role="cell" data-label="Cells shown"><div><Shown row={row} /></div></td>
    </tr>
  );
}

function Summary({all}: {all: Health[]}) {
  const open = all.filter(it => it.state === "open");
  const failed = open.filter(it => it.failedAt).length;
  const oldest = open.map(it => it.builtAt).filter((it): it is string => it !== null).sort()[0];
  const closed = all.length - open.length;
  return (
    <Card>
      <Stats>
        <Stat label="Open" value={count(open.length)} hint={`of ${counted(all.length, "policy", "policies")}`} />
        <Stat
          label="Closed"
          value={count(closed)}
          tone={closed > 0 ? "bad" : "neutral"}
          hint="nobody can read these tables"
        />
        <Stat
          label="Last build failed"
          value={count(failed)}
          tone={failed > 0 ? "warn" : "neutral"}
          hint="an earlier version is in force"
        />
        <Stat label="Oldest version" value={<Instant at={oldest} />} />
      </Stats>
    </Card>
  );
}

export function Policies({isAdmin}: {isAdmin: boolean}) {
  const {value, problem, again} = useLoaded("policies", api.policies);
  const [words, setWords] = useState("");
  const lines = value ? records(value) : [];
  const byName = new Map(lines.map(it => [it["policy"] ?? "", it]));
  const all = byUrgency(lines.map(healthOf));
  const fits = new Set(filtered(lines, words));
  const shown = all.flatMap(health => {
    const row = byName.get(health.policy);
    return row && fits.has(row) ? [{health, row}] : [];
  });
  const check = useAction(async () => {
    for (const {policy, state} of all) {
      if (state !== "open") continue;
      await api.check(policy);
    }
    again();
  });
  return (
    <section>
      <PageHeader
        title="Policies"
        lead="What readers may see of each protected table. Policies that want a decision come first."
        actions={
          <>
            <Button onClick={again}>Refresh</Button>
            {isAdmin && all.length > 0 ? (
              <Button isBusy={check.isBusy} onClick={check.run}>Check all for drift</Button>
            ) : null}
            {isAdmin ? (
              <ButtonLink kind="primary" href="#/protect" icon="shield">Protect a table</ButtonLink>
            ) : null}
          </>
        }
      />
      <Trouble problem={problem ?? check.problem} />
      {!value && !problem ? <Skeleton lines={5} /> : null}
      {value && all.length === 0 ? (
        <Card>
          <EmptyState
            icon="shield"
            title="No table is protected yet"
            text="A policy says what readers may see of a table. Without one, nobody can read the table."
            action={isAdmin ? <ButtonLink kind="primary" href="#/protect">Protect a table</ButtonLink> : null}
          />
        </Card>
      ) : null}
      {all.length > 0 ? (
        <div class="stack">
          <Summary all={all} />
          {all.length > kFilterFrom ? (
            <label class="filter">
              Filter <input type="search" value={words} onInput={it => setWords(it.currentTarget.value)} />
            </label>
          ) : null}
          <Card tone="flush">
            <Paged key={words} items={shown} name="policy" names="policies" rows={25}>
              {page => (
                <div class="scroll" tabIndex={0} role="region" aria-label="Policies">
                  <table class="policies" role="table" aria-label="Policies">
                    <thead role="rowgroup">
                      <tr role="row">
                        <th role="columnheader" scope="col">policy</th>
                        <th role="columnheader" scope="col">state</th>
                        <th role="columnheader" scope="col">built</th>
                        {isAdmin ? <th role="columnheader" scope="col">drift</th> : null}
                        <th role="columnheader" scope="col" class="number">k</th>
                        <th role="columnheader" scope="col">cells shown</th>
                      </tr>
                    </thead>
                    <tbody role="rowgroup">
                      {page.map(({health, row}) => (
                        <Line
                          key={health.policy}
                          row={row}
                          health={health}
                          isAdmin={isAdmin}
                        />
                      ))}
                    </tbody>
                  </table>
                </div>
              )}
            </Paged>
          </Card>
        </div>
      ) : null}
    </section>
  );
}
