// The list of policies: health first.
import {useState} from "preact/hooks";
import {api} from "../api.js";
import {byHealth, healthOf} from "../policy/health.js";
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

function Drift({finding}: {finding: string | undefined}) {
  if (finding === undefined) return <span class="sub">not checked</span>;
  if (finding === "ok") return <Badge tone="good">fits the table</Badge>;
  return (
    <>
      <Badge tone="warn">drift</Badge>
      <div class="sub">{finding}</div>
    </>
  );
}

function Line({row, isAdmin, now, finding}: {
  row: Row;
  isAdmin: boolean;
  now: number;
  finding: string | undefined;
}) {
  const name = row["policy"] ?? "";
  const health = healthOf(row, now);
  return (
    <tr role="row">
      <td role="cell" data-label="Policy">
        {isAdmin ? <a href={linkTo(name)}>{name}</a> : <strong>{name}</strong>}
        <div class="sub">{row["table"]} in {row["database"]}</div>
      </td>
      <td role="cell" data-label="State">
        <div>
          <Badge tone={health.tone}>{health.word}</Badge>
          {health.why ? <div class="sub">{health.why}</div> : null}
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
          <div><Drift finding={finding} /></div>
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

function Summary({rows, now}: {rows: Row[]; now: number}) {
  const of = (...wanted: string[]) => rows.filter(it => wanted.includes(healthOf(it, now).health)).length;
  const closed = rows.filter(it => it["state"] !== "open").length;
  const oldest = rows.map(it => it["built_at"]).filter((it): it is string => !!it).sort()[0];
  return (
    <Card>
      <Stats>
        <Stat
          label="Open"
          value={count(rows.length - closed)}
          hint={`of ${counted(rows.length, "policy", "policies")}`}
        />
        <Stat
          label="Closed"
          value={count(closed)}
          tone={closed > 0 ? "bad" : "neutral"}
          hint="nobody can read these tables"
        />
        <Stat
          label="Last build failed"
          value={count(of("failed"))}
          tone={of("failed") > 0 ? "warn" : "neutral"}
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
  const [findings, setFindings] = useState<Record<string, string>>({});
  const now = Date.now();
  const all = value ? byHealth(records(value), now) : [];
  const rows = filtered(all, words);
  const check = useAction(async () => {
    for (const row of all) {
      const policy = row["policy"] ?? "";
      if (row["state"] !== "open") continue;
      const found = records(await api.check(policy)).map(it => it["finding"] ?? "").join("; ");
      setFindings(was => ({...was, [policy]: found}));
    }
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
          <Summary rows={all} now={now} />
          {all.length > kFilterFrom ? (
            <label class="filter">
              Filter <input type="search" value={words} onInput={it => setWords(it.currentTarget.value)} />
            </label>
          ) : null}
          <Card tone="flush">
            <Paged key={words} items={rows} name="policy" names="policies" rows={25}>
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
                      {page.map(row => (
                        <Line
                          key={row["policy"]}
                          row={row}
                          isAdmin={isAdmin}
                          now={now}
                          finding={findings[row["policy"] ?? ""]}
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
