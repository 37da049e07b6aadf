// How far a run is: of a search its bounds, of a cluster its phases and tasks.
import type {ComponentChildren} from "preact";
import {useState} from "preact/hooks";
import {stepsOf, stepWords, taskWords} from "../../cluster.js";
import {pageJobs, type RunDetails, type SparkState} from "../../page-jobs-api.js";
import {count, percent} from "../../table.js";
import {FigureList, Trouble, useAction} from "../../ui.js";

function OfSearch({run}: {run: RunDetails}) {
  return (
    <>
      <progress aria-label="Share of the transformations that is decided" max={1} value={run.decided_share} />
      <FigureList figures={[
        ["checks", count(run.checks)],
        ["best score so far", run.best === null ? "none yet" : String(run.best)],
        ["nothing is below", run.bound === null ? "not known" : String(run.bound)],
        ["decided", percent(run.decided_share, 1)],
      ]} />
    </>
  );
}

function OfCluster({spark}: {spark: SparkState}) {
  return (
    <>
      <p role="status">{stepWords(spark)}</p>
      <ol class="steps" aria-label="Steps of the run">
        {stepsOf(spark).map(({phase, name, state}) => (
          <li
            key={phase}
            class={state === "now" ? "now" : ""}
            aria-current={state === "now" ? "step" : undefined}
          >
            {name}
            {state === "done" ? <span class="fine"> – done</span> : null}
          </li>
        ))}
      </ol>
      <progress
        aria-label="Tasks of this step that are done"
        {...(spark.tasks === 0 ? {} : {max: spark.tasks, value: spark.done})}
      />
      <FigureList
        figures={[
          ["tasks of this step done", taskWords(spark)],
          ["executors there", `${count(spark.executors)} of ${count(spark.workers)}`],
        ]}
      />
    </>
  );
}

function Cancel({run, onCancel}: {run: RunDetails; onCancel: () => void}): ComponentChildren {
  const [isAsked, setAsked] = useState(false);
  const cancel = useAction(async () => {
    await pageJobs.cancel(run.id);
    setAsked(true);
    onCancel();
  });
  return (
    <>
      <button type="button" disabled={cancel.isBusy || isAsked} onClick={cancel.run}>
        Cancel
      </button>
      <p role="status">
        {isAsked ? `It is being ended${run.spark ? "; a cluster can take half a minute for that" : ""}.` : ""}
      </p>
      <Trouble problem={cancel.problem} />
    </>
  );
}

export function Progress({run, onCancel}: {run: RunDetails; onCancel: () => void}) {
  return (
    <>
      <p role="status">It runs since {run.started_at}.</p>
      {run.spark ? <OfCluster spark={run.spark} /> : <OfSearch run={run} />}
      <Cancel run={run} onCancel={onCancel} />
    </>
  );
}
