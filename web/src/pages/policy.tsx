import {useMemo, useState} from "preact/hooks";
import {api, type Disclosure, type Table} from "../api.js";
import {layout} from "../icicle.js";
import {Icicle} from "../icicle-view.js";
import {Differences} from "./difference.js";
import {count, percent} from "../table.js";
import {Bar, Grid, Trouble, useAction, useLoaded, Waiting} from "../ui.js";

export function Shares({attributes, disclosure}: {attributes: string[]; disclosure: Disclosure}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Share of each column that is shown">
      <table>
        <caption>Share of each column that is shown</caption>
        <thead>
          <tr><th scope="col">column</th><th scope="col">shown</th><th scope="col">shown or implied</th></tr>
        </thead>
        <tbody>
          {attributes.map((attribute, at) => {
            const disclosed = disclosure.disclosed_by_attribute[at] ?? 0;
            const implied = disclosure.disclosed_or_implied_by_attribute[at] ?? 0;
            return (
              <tr key={attribute}>
                <th scope="row">{attribute}</th>
                <td><Bar part={disclosed} whole={disclosure.rows} label={`${attribute} shown`} /> {percent(disclosed, disclosure.rows)}</td>
                <td><Bar part={implied} whole={disclosure.rows} label={`${attribute} shown or implied`} /> {percent(implied, disclosure.rows)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function Figures({disclosure, k}: {disclosure: Disclosure; k: number}) {
  const figures: [string, string][] = [
    ["k", count(k)],
    ["rows", count(disclosure.rows)],
    ["units", count(disclosure.units)],
    ["cohorts", count(disclosure.cohorts)],
    ["smallest cohort", count(disclosure.smallest_cohort)],
    ["cells shown", percent(disclosure.disclosed, disclosure.cells)],
    ["shown or implied", percent(disclosure.disclosed_or_implied, disclosure.cells)],
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

export function PolicyPage({policy}: {policy: string}) {
  const {value, problem, isBusy, again} = useLoaded(policy, () => api.version(policy));
  const parts = useMemo(() => (value ? layout(value.tree.nodes) : []), [value]);
  const [answer, setAnswer] = useState<{title: string; table: Table} | null>(null);
  const check = useAction(async () => setAnswer({title: "Check of the live table", table: await api.check(policy)}));
  const build = useAction(async () => {
    setAnswer({title: "New version", table: await api.build(policy)});
    again();
  });
  const attributes = value?.tree.attributes.map(it => it.name) ?? [];
  return (
    <section>
      <h1>{policy}</h1>
      <Waiting isBusy={isBusy} />
      <Trouble problem={problem} />
      <p class="actions">
        <button type="button" disabled={check.isBusy} onClick={check.run}>{check.isBusy ? "checking …" : "Check the live table"}</button>
        <button type="button" disabled={build.isBusy} onClick={build.run}>{build.isBusy ? "building …" : "Build a new version"}</button>
      </p>
      <Trouble problem={check.problem} />
      <Trouble problem={build.problem} />
      <div role="status">{answer ? <Grid caption={answer.title} table={answer.table} /> : null}</div>
      {value ? (
        <>
          <p>Version {value.number} of {value.table.schema}.{value.table.name}, built {value.built_at}.</p>
          <Figures disclosure={value.disclosure} k={value.tree.k} />
          <h2>Disclosure tree</h2>
          <Icicle key={value.number} parts={parts} attributes={attributes} />
          <h2>Columns</h2>
          <Shares attributes={attributes} disclosure={value.disclosure} />
          <Differences key={`difference ${value.number}`} policy={policy} />
          <h2>In words</h2>
          <Detail title="Rules: when a column is shown" load={() => api.rules(policy)} />
          <Detail title="Cohorts" load={() => api.cohorts(policy)} />
        </>
      ) : null}
    </section>
  );
}
