// One policy: what its version shows, and its commands.
import {useMemo, useState} from "preact/hooks";
import {ApiError, api, type PolicyNow, type Table, type Version} from "../api.js";
import {changesOf, fileNote} from "../conflict.js";
import {hasDrifted} from "../home/health.js";
import {layout} from "../icicle.js";
import {Icicle} from "../icicle-view.js";
import {releaseOf} from "../policy/release.js";
import {count, kNone, percent} from "../ui/format.js";
import {
  Badge, Button, ButtonLink, Card, Grid, Instant, PageHeader, Skeleton, Stat, Stats, Tabs, Trouble, useAction,
  useLoaded, useToast,
} from "../ui.js";
import {records} from "../table.js";
import {meanError, ofMillion} from "../utility.js";
import {Answers} from "./answers.js";
import {Differences} from "./difference.js";
import {Attack} from "./policy/attack.js";
import {CohortList, CohortSizes, Rules} from "./policy/cohorts.js";
import {Columns} from "./policy/columns.js";
import {HeatMap} from "./policy/heat-map.js";
import {RawRowsOf} from "./raw.js";

export {Figures, Shares} from "./policy/figures.js";

/** Somebody else was first: what is there now, and both ways on. */
function Conflict({looked, now, isBusy, onBuild, onLook}: {
  looked: PolicyNow; now: PolicyNow; isBusy: boolean; onBuild: () => void; onLook: () => void;
}) {
  return (
    <section class="conflict" aria-labelledby="conflict-title">
      <h2 id="conflict-title">Somebody else changed this policy first</h2>
      <p>Your build was not started. Changes since you opened {looked.policy}:</p>
      <ul>
        {changesOf(looked, now).map((it) => (
          <li key={it}>{it}</li>
        ))}
      </ul>
      <p class="actions">
        <Button onClick={onLook}>Show the current state</Button>
        <Button isDisabled={isBusy || now.building !== null} onClick={onBuild}>Build anyway</Button>
      </p>
    </section>
  );
}

function readersOf({readers}: PolicyNow): string {
  if (readers === null) return "as the database grants";
  return readers.join(", ") || "nobody";
}

function Facts({now}: {now: PolicyNow}) {
  const facts: [string, preact.ComponentChildren][] = [
    ["Table", <code>{now.table}</code>],
    ["Database", now.database],
    ["Readers", readersOf(now)],
    ["k", count(now.k)],
    ["Unit", now.unit ?? "each row"],
    ["Version", now.number === 0 ? kNone : count(now.number)],
    ["Built", <Instant at={now.built_at} />],
    ["File", now.file],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function State({now}: {now: PolicyNow}) {
  if (now.building) return <Badge tone="info">building: {now.building}</Badge>;
  return now.number === 0 ? <Badge tone="bad">closed</Badge> : <Badge tone="good">open</Badge>;
}

function Overview({version}: {version: Version}) {
  const {disclosure, utility} = version;
  const error = utility ? meanError(utility) : null;
  const most = utility?.most_cells;
  return (
    <Card>
      <Stats>
        <Stat
          label="Cells shown"
          value={percent(disclosure.disclosed / disclosure.cells)}
          hint={most === undefined ? null : `of at most ${percent(most / disclosure.cells)}`}
        />
        <Stat
          label="Mean error of counts"
          value={error === null ? kNone : ofMillion(error)}
          hint="by one column"
        />
        <Stat label="Cohorts" value={count(disclosure.cohorts)} hint={`of ${count(disclosure.rows)} rows`} />
        <Stat
          label="Smallest cohort"
          value={count(disclosure.smallest_cohort)}
          unit="units"
          hint={`k is ${count(version.tree.k)}`}
        />
      </Stats>
    </Card>
  );
}

type TabKey = "tree" | "columns" | "answers" | "cohorts" | "raw" | "versions" | "attack";

function VersionTabs({policy, version, showsRaw}: {policy: string; version: Version; showsRaw: boolean}) {
  const [tab, setTab] = useState<TabKey>("tree");
  const {tree, utility} = version;
  const parts = useMemo(() => layout(tree.nodes), [version]);
  const release = useMemo(() => releaseOf(parts, tree.attributes), [parts]);
  const names = tree.attributes.map(it => it.name);
  const tabs: {key: TabKey; title: string}[] = [
    {key: "tree", title: "Disclosure tree"},
    ...(showsRaw ? [{key: "raw" as const, title: "Raw beside masked"}] : []),
    {key: "columns", title: "Columns"},
    {key: "answers", title: "Answers"},
    {key: "cohorts", title: "Cohorts and rules"},
    {key: "versions", title: "Compare versions"},
    {key: "attack", title: "Attacks"},
  ];
  const panel = () => {
    switch (tab) {
      case "tree":
        return (
          <Card title="Disclosure tree">
            <Icicle
              key={version.number}
              parts={parts}
              attributes={tree.attributes}
              release={release}
              k={tree.k}
            />
          </Card>
        );
      case "raw":
        return <RawRowsOf policy={policy} />;
      case "columns":
        return (
          <Columns
            key={version.number}
            policy={policy}
            version={version}
            parts={parts}
            release={release}
          />
        );
      case "answers":
        return (
          <div class="stack">
            {utility ? <HeatMap utility={utility} /> : null}
            <Answers utility={utility} />
          </div>
        );
      case "cohorts":
        return (
          <div class="stack">
            <CohortSizes cohorts={release.cohorts} k={tree.k} />
            <CohortList parts={parts} cohorts={release.cohorts} />
            <Rules parts={parts} attributes={names} release={release} />
          </div>
        );
      case "versions":
        return <Differences key={version.number} policy={policy} />;
      case "attack":
        return (
          <Attack
            key={version.number}
            policy={policy}
            columns={tree.attributes.filter(it => !it.level).map(it => it.name)}
          />
        );
    }
  };
  return (
    <Tabs label="Parts of this policy" tabs={tabs} selected={tab} onSelect={setTab}>
      {panel()}
    </Tabs>
  );
}

/** "ok", or what CHECK has found. */
function findingOf(table: Table): string {
  return records(table).map(it => it["finding"] ?? "").join("; ");
}

export function PolicyPage({policy, showsRaw}: {policy: string; showsRaw: boolean}) {
  const {value, problem, again} = useLoaded(policy, () => api.version(policy));
  const state = useLoaded(`state ${policy}`, () => api.state(policy));
  const [conflict, setConflict] = useState<PolicyNow | null>(null);
  const [answer, setAnswer] = useState<{title: string; table: Table} | null>(null);
  const toast = useToast();
  const check = useAction(async () => {
    const table = await api.check(policy);
    const finding = findingOf(table);
    setAnswer({title: "Check of the live table", table});
    if (!hasDrifted(finding)) toast(`${policy} still fits its table.`, "good");
    else toast(`${policy}: ${finding}`, "warn");
  });
  const lookAgain = () => {
    setConflict(null);
    again();
    state.again();
  };
  const looked = state.value;
  const build = useAction(async () => {
    const tag = (conflict ?? looked)?.tag;
    if (tag === undefined) return;
    try {
      const table = await api.build(policy, tag);
      const made = records(table)[0];
      setAnswer({title: "New version", table});
      toast(`Version ${made?.["version"] ?? ""} of ${policy} is in force.`, "good");
      lookAgain();
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.problem.now) setConflict(thrown.problem.now);
      throw thrown;
    }
  });
  const note = looked ? fileNote(looked) : null;
  const isClosed = looked?.number === 0;
  return (
    <section>
      <PageHeader
        title={policy}
        lead={looked ? <State now={looked} /> : null}
        crumbs={[{title: "Policies", href: "#/policies"}]}
        actions={
          <>
            <ButtonLink href="#/query" icon="query">Try a query</ButtonLink>
            <Button isBusy={check.isBusy} onClick={check.run}>Check the live table</Button>
            <Button
              kind="primary"
              isBusy={build.isBusy}
              isDisabled={!looked || conflict !== null}
              onClick={build.run}
            >
              Build a new version
            </Button>
          </>
        }
      />
      {looked ? <Facts now={looked} /> : null}
      {looked?.closed_because ? (
        <p class="trouble" role="alert">
          <strong>Nobody can read this table: {looked.closed_because}</strong>
          <span class="hint">Build a new version to open it.</span>
        </p>
      ) : null}
      {note ? <p class="hint">{note}</p> : null}
      <Trouble problem={check.problem ?? state.problem} />
      <Trouble problem={build.problem?.now && !conflict ? null : build.problem} />
      {conflict && looked ? (
        <Conflict
          looked={looked}
          now={conflict}
          isBusy={build.isBusy}
          onBuild={build.run}
          onLook={lookAgain}
        />
      ) : null}
      <div role="status">
        {answer ? (
          <Card
            title={answer.title}
            actions={<Button kind="quiet" icon="close" label="Close" onClick={() => setAnswer(null)} />}
          >
            <Grid caption={answer.title} table={answer.table} />
          </Card>
        ) : null}
      </div>
      {isClosed ? null : <Trouble problem={problem} />}
      {value ? (
        <div class="stack">
          <Overview version={value} />
          <VersionTabs policy={policy} version={value} showsRaw={showsRaw} />
        </div>
      ) : problem ? null : (
        <Skeleton lines={6} />
      )}
    </section>
  );
}
