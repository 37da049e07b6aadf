import {useMemo, useState} from "preact/hooks";
import {ApiError, api, type Disclosure, type PolicyNow, type Table, type Utility} from "../api.js";
import {changesOf, fileNote} from "../conflict.js";
import {layout} from "../icicle.js";
import {Icicle} from "../icicle-view.js";
import {cellsShown, meanError, ofMillion} from "../utility.js";
import {Answers} from "./answers.js";
import {Differences} from "./difference.js";
import {RawRowsOf} from "./raw.js";
import {count, percent} from "../table.js";
import {Bar, Grid, Trouble, useAction, useLoaded, Waiting} from "../ui.js";

export function Shares({attributes, disclosure}: {attributes: string[]; disclosure: Disclosure}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Share of each column that is shown">
      <table>
        <caption>Share of each column that is shown</caption>
        <thead>
          <tr>
            <th scope="col">column</th>
            <th scope="col">shown</th>
            <th scope="col">computable</th>
            <th scope="col">equal</th>
          </tr>
        </thead>
        <tbody>
          {attributes.map((attribute, at) => {
            const disclosed = disclosure.disclosed_by_attribute[at] ?? 0;
            const computable = disclosure.computable_by_attribute[at] ?? 0;
            const equal = disclosure.equal_by_attribute[at] ?? 0;
            return (
              <tr key={attribute}>
                <th scope="row">{attribute}</th>
                <td>
                  <Bar part={disclosed} whole={disclosure.rows} label={`${attribute} shown`} />{" "}
                  {percent(disclosed, disclosure.rows)}
                </td>
                <td>
                  <Bar part={computable} whole={disclosure.rows} label={`${attribute} computable`} />{" "}
                  {percent(computable, disclosure.rows)}
                </td>
                <td>
                  <Bar part={equal} whole={disclosure.rows} label={`${attribute} equal`} />{" "}
                  {percent(equal, disclosure.rows)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function Figures({disclosure, utility, k}: {
  disclosure: Disclosure; utility: Utility | undefined; k: number;
}) {
  const error = utility ? meanError(utility) : null;
  const figures: [string, string][] = [
    ["k", count(k)],
    ["rows", count(disclosure.rows)],
    ["units", count(disclosure.units)],
    ["cohorts", count(disclosure.cohorts)],
    ["smallest cohort", count(disclosure.smallest_cohort)],
    ["cells shown", cellsShown(disclosure, utility)],
    ["mean error by column", error === null ? "–" : ofMillion(error)],
    ["hidden, computable", percent(disclosure.computable, disclosure.cells)],
    ["hidden, equal", percent(disclosure.equal, disclosure.cells)],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
    </dl>
  );
}

function Detail({title, load}: {title: string; load: () => Promise<Table>}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={it => setOpen(it.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen ? <Loading title={title} load={load} /> : null}
    </details>
  );
}

function Loading({title, load}: {title: string; load: () => Promise<Table>}) {
  const {value, problem, isBusy} = useLoaded(title, load);
  return (
    <>
      <Waiting isBusy={isBusy} />
      <Trouble problem={problem} />
      {value ? <Grid caption={title} table={value} /> : null}
    </>
  );
}

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
        <button type="button" onClick={onLook}>
          Show the current state
        </button>
        <button type="button" disabled={isBusy || now.building !== null} onClick={onBuild}>
          Build anyway
        </button>
      </p>
    </section>
  );
}

export function PolicyPage({policy, showsRaw}: {policy: string; showsRaw: boolean}) {
  const {value, problem, isBusy, again} = useLoaded(policy, () => api.version(policy));
  const state = useLoaded(`state ${policy}`, () => api.state(policy));
  const [conflict, setConflict] = useState<PolicyNow | null>(null);
  const parts = useMemo(() => (value ? layout(value.tree.nodes) : []), [value]);
  const [answer, setAnswer] = useState<{title: string; table: Table} | null>(null);
  const check = useAction(async () =>
    setAnswer({title: "Check of the live table", table: await api.check(policy)}),
  );
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
      setAnswer({title: "New version", table: await api.build(policy, tag)});
      lookAgain();
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.problem.now) setConflict(thrown.problem.now);
      throw thrown;
    }
  });
  const note = looked ? fileNote(looked) : null;
  const attributes = value?.tree.attributes.map(it => it.name) ?? [];
  return (
    <section>
      <h1>{policy}</h1>
      <Waiting isBusy={isBusy} />
      <Trouble problem={problem} />
      <p class="actions">
        <button type="button" disabled={check.isBusy} onClick={check.run}>
          {check.isBusy ? "checking …" : "Check the live table"}
        </button>
        <button type="button" disabled={build.isBusy || !looked || conflict !== null} onClick={build.run}>
          {build.isBusy ? "building …" : "Build a new version"}
        </button>
      </p>
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
      <div role="status">{answer ? <Grid caption={answer.title} table={answer.table} /> : null}</div>
      {value ? (
        <>
          <p>
            Version {value.number} of {value.table.schema}.{value.table.name}, built {value.built_at}.
          </p>
          <Figures disclosure={value.disclosure} utility={value.utility} k={value.tree.k} />
          <h2>Disclosure tree</h2>
          <Icicle key={value.number} parts={parts} attributes={attributes} />
          <h2>Columns</h2>
          <Shares attributes={attributes} disclosure={value.disclosure} />
          <h2>Answers</h2>
          <Answers utility={value.utility} />
          <Differences key={`difference ${value.number}`} policy={policy} />
          <h2>Rules and cohorts</h2>
          <Detail title="Rules: when a column is shown" load={() => api.rules(policy)} />
          <Detail title="Cohorts" load={() => api.cohorts(policy)} />
          {showsRaw ? <RawRowsOf key={`raw ${policy}`} policy={policy} /> : null}
        </>
      ) : null}
    </section>
  );
}
