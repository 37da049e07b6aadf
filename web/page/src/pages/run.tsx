// One run of a job that was set up here: how far it is, and what came of it.
import {useEffect} from "preact/hooks";
import {pageJobs} from "../page-jobs-api.js";
import {saveText} from "../download.js";
import {useLive} from "../live.js";
import {comparison} from "../measures.js";
import {records} from "../table.js";
import {Trouble, useAction, useLoaded, Waiting, type Loaded} from "../ui.js";
import {Outcome} from "./run/outcome.js";
import {Progress} from "./run/progress.js";

const kPeriodMs = 2000;

/** Asks again a while after each answer, for as long as it is wanted; not while nobody looks. */
function useFollowed<T>({value, problem, again}: Loaded<T>, isWanted: boolean) {
  useEffect(() => {
    if (!isWanted) return;
    let timer = 0;
    const wait = () => {
      timer = window.setTimeout(() => (document.hidden ? wait() : again()), kPeriodMs);
    };
    wait();
    return () => clearTimeout(timer);
  }, [value, problem, isWanted]);
}

/** pgveil was not reached, or the session has ended: the run goes on all the same. */
const isPassing = (status: number | undefined) => status === 0 || status === 401;

export function RunPage({run: id}: {run: string}) {
  const loaded = useLoaded(id, () => pageJobs.run(id));
  const run = loaded.value;
  const {tables} = useLive(run === null || run.state === "running");
  const row = tables["jobs"] ? records(tables["jobs"]).find(it => it["job"] === id) : undefined;
  const news = JSON.stringify(row ?? null);
  useEffect(() => {
    if (news !== "null") loaded.again();
  }, [news]);
  useFollowed(loaded, isPassing(loaded.problem?.status));
  const drop = useAction(async () => {
    await pageJobs.drop(id);
    location.hash = "#/jobs";
  });
  return (
    <section>
      <h1>{run ? `${run.name} (${id})` : id}</h1>
      <Waiting isBusy={loaded.isBusy} />
      <Trouble problem={loaded.problem} />
      {run && run.state === "running" ? <Progress run={run} onCancel={loaded.again} /> : null}
      {run && run.state !== "running" ? (
        <p role="status">
          <span class={`state ${run.state}`}>{run.state}</span> {run.ended_at}
        </p>
      ) : null}
      {run?.message ? (
        <p class="trouble" role="alert">
          <strong>{run.message}</strong>
          <span class="hint">{run.hint}</span>
        </p>
      ) : null}
      {run ? <Outcome run={run} /> : null}
      {run ? (
        <>
          <details>
            <summary>The job's text</summary>
            <pre tabIndex={0}>{run.yaml}</pre>
          </details>
          <p class="actions">
            <button type="button" onClick={() => saveText(`${run.name}.yaml`, run.yaml)}>
              Save the job's text
            </button>
            {run.state !== "running" ? (
              <button type="button" disabled={drop.isBusy} onClick={drop.run}>
                Remove the run and its result
              </button>
            ) : null}
          </p>
          <Trouble problem={drop.problem} />
        </>
      ) : null}
    </section>
  );
}

export function ComparePage({left, right}: {left: string; right: string}) {
  const one = useLoaded(left, () => pageJobs.run(left));
  const other = useLoaded(right, () => pageJobs.run(right));
  return (
    <section>
      <h1>
        {left} and {right}
      </h1>
      <Waiting isBusy={one.isBusy || other.isBusy} />
      <Trouble problem={one.problem ?? other.problem} />
      {one.value && other.value ? (
        <div class="scroll" tabIndex={0} role="region" aria-label="Comparison">
          <table>
            <caption>Comparison; differences are marked</caption>
            <thead>
              <tr>
                <th scope="col">figure</th>
                <th scope="col">
                  {one.value.name} ({left})
                </th>
                <th scope="col">
                  {other.value.name} ({right})
                </th>
              </tr>
            </thead>
            <tbody>
              {comparison(one.value, other.value).map(([name, mine, theirs]) => (
                <tr key={name} class={mine === theirs ? "" : "differs"}>
                  <th scope="row">{name}</th>
                  <td>{mine}</td>
                  <td>{theirs}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </section>
  );
}
