// One run of a job that was set up here: how far it is, and what came of it.
import {useEffect} from "preact/hooks";
import {pageJobs, type Run} from "../page-jobs-api.js";
import {saveText} from "../download.js";
import {useLive} from "../live.js";
import {titleOf} from "../measures.js";
import {records} from "../table.js";
import {Badge, Instant, PageHeader, Trouble, useAction, useLoaded, Waiting, type Loaded} from "../ui.js";
import {Outcome} from "./run/outcome.js";
import {Progress} from "./run/progress.js";
import {kStateTones} from "./run/states.js";

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

function RunLead({run}: {run: Run}) {
  return (
    <span role="status">
      <Badge tone={kStateTones[run.state]}>{run.state}</Badge> {run.id}, started <Instant at={run.started_at} />
      {run.ended_at ? (
        <>
          , ended <Instant at={run.ended_at} />
        </>
      ) : null}
    </span>
  );
}

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
      <PageHeader
        title={run ? titleOf(run) : id}
        lead={run ? <RunLead run={run} /> : null}
        crumbs={[{title: "Jobs", href: "#/jobs"}]}
      />
      <Waiting isBusy={loaded.isBusy} />
      <Trouble problem={loaded.problem} />
      {run && run.state === "running" ? <Progress run={run} onCancel={loaded.again} /> : null}
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
