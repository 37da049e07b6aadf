// One run of a job that was set up here: how far it is, and what came of it.
import {useEffect} from "preact/hooks";
import {desk, type Figures, type RunDetails} from "../desk-api.js";
import {saveText} from "../download.js";
import {Lattice} from "../lattice-view.js";
import {useLive} from "../live.js";
import {attributesOf, bucketName, buckets, comparison, figuresOf} from "../measures.js";
import {count, percent, records} from "../table.js";
import {Bar, Trouble, useAction, useLoaded, Waiting} from "../ui.js";

function Progress({run, onCancel}: {run: RunDetails; onCancel: () => void}) {
  const cancel = useAction(async () => {
    await desk.cancel(run.id);
    onCancel();
  });
  const figures: [string, string][] = [
    ["checks", count(run.checks)],
    ["best score so far", run.best === null ? "none yet" : String(run.best)],
    ["nothing is below", run.bound === null ? "not known" : String(run.bound)],
    ["decided", percent(run.decided_share, 1)],
  ];
  return (
    <>
      <p role="status">It runs since {run.started_at}.</p>
      <progress aria-label="Share of the transformations that is decided" max={1} value={run.decided_share} />
      <dl class="figures">{figures.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      <button type="button" disabled={cancel.isBusy} onClick={cancel.run}>Cancel</button>
      <Trouble problem={cancel.problem} />
    </>
  );
}

function Sizes({title, figures}: {title: string; figures: Figures}) {
  const made = buckets(figures.histogram);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead><tr><th scope="col">records that look alike</th><th scope="col">records</th></tr></thead>
        <tbody>
          {made.map(it => (
            <tr key={it.from}>
              <th scope="row">{bucketName(it)}</th>
              <td><Bar part={it.records} whole={figures.rows} label={`records in classes of ${bucketName(it)}`} /> {count(it.records)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        Highest risk of being found {percent(figures.highest_risk, 1)}, mean {percent(figures.mean_risk, 1)}; above 20 %: {percent(figures.at_risk, 1)} of
        the records.
      </p>
    </div>
  );
}

function Losses({run}: {run: RunDetails}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Loss of each quasi-identifier">
      <table>
        <caption>Loss of each quasi-identifier</caption>
        <thead><tr><th scope="col">column</th><th scope="col">level</th><th scope="col">lost</th></tr></thead>
        <tbody>
          {attributesOf(run).map(({name, level, loss}) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{level}</td>
              <td>{loss === null ? "–" : <><Bar part={loss} whole={1} label={`lost of ${name}`} /> {percent(loss, 1)}</>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Outcome({run}: {run: RunDetails}) {
  if (!run.report) return null;
  return (
    <>
      <p class="actions"><a class="button" href={desk.resultAddress(run.id)} download="result.csv">Download the result</a></p>
      <dl class="figures">{figuresOf(run).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      <h2>Who can be found</h2>
      <div class="row top">
        {run.measures?.before ? <Sizes title="Before" figures={run.measures.before} /> : null}
        {run.measures?.after ? <Sizes title="After" figures={run.measures.after} /> : null}
      </div>
      <h2>What is lost</h2>
      <Losses run={run} />
      <p class="hint">Not published: {run.report.not_published.join(", ") || "nothing was left out"}.</p>
      <Lattice report={run.report} />
    </>
  );
}

export function RunPage({run: id}: {run: string}) {
  const loaded = useLoaded(id, () => desk.run(id));
  const run = loaded.value;
  const {tables} = useLive(run === null || run.state === "running");
  const row = tables["jobs"] ? records(tables["jobs"]).find(it => it["job"] === id) : undefined;
  const news = JSON.stringify(row ?? null);
  useEffect(() => {
    if (news !== "null") loaded.again();
  }, [news]);
  const drop = useAction(async () => {
    await desk.drop(id);
    location.hash = "#/jobs";
  });
  return (
    <section>
      <h1>{run ? `${run.name} (${id})` : id}</h1>
      <Waiting isBusy={loaded.isBusy} />
      <Trouble problem={loaded.problem} />
      {run && run.state === "running" ? <Progress run={run} onCancel={loaded.again} /> : null}
      {run && run.state !== "running" ? <p role="status"><span class={`state ${run.state}`}>{run.state}</span> {run.ended_at}</p> : null}
      {run?.message ? <p class="trouble" role="alert"><strong>{run.message}</strong><span class="hint">{run.hint}</span></p> : null}
      {run ? <Outcome run={run} /> : null}
      {run ? (
        <>
          <details><summary>The job's text</summary><pre tabIndex={0}>{run.yaml}</pre></details>
          <p class="actions">
            <button type="button" onClick={() => saveText(`${run.name}.yaml`, run.yaml)}>Save the job's text</button>
            {run.state !== "running" ? <button type="button" disabled={drop.isBusy} onClick={drop.run}>Remove the run and its result</button> : null}
          </p>
          <Trouble problem={drop.problem} />
        </>
      ) : null}
    </section>
  );
}

export function ComparePage({left, right}: {left: string; right: string}) {
  const one = useLoaded(left, () => desk.run(left));
  const other = useLoaded(right, () => desk.run(right));
  return (
    <section>
      <h1>{left} and {right}</h1>
      <Waiting isBusy={one.isBusy || other.isBusy} />
      <Trouble problem={one.problem ?? other.problem} />
      {one.value && other.value ? (
        <div class="scroll" tabIndex={0} role="region" aria-label="Comparison">
          <table>
            <caption>Side by side; what differs is marked</caption>
            <thead><tr><th scope="col">figure</th><th scope="col">{one.value.name} ({left})</th><th scope="col">{other.value.name} ({right})</th></tr></thead>
            <tbody>
              {comparison(one.value, other.value).map(([name, mine, theirs]) => (
                <tr key={name} class={mine === theirs ? "" : "differs"}><th scope="row">{name}</th><td>{mine}</td><td>{theirs}</td></tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </section>
  );
}
