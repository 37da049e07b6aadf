// How far a run is, and the button that cancels it.
import type {ComponentChildren} from "preact";
import {useState} from "preact/hooks";
import {pageJobs, type RunDetails} from "../../page-jobs-api.js";
import {count, decimal, percent} from "../../ui/format.js";
import {FigureList, Trouble, useAction} from "../../ui.js";

function OfSearch({run}: {run: RunDetails}) {
  return (
    <>
      <progress aria-label="Share of transformations that are decided" max={1} value={run.decided_share} />
      <FigureList figures={[
        ["transformations evaluated", count(run.checks)],
        ["best score so far", run.best === null ? "none yet" : decimal(run.best)],
        ["lower bound of the score", run.bound === null ? "unknown" : decimal(run.bound)],
        ["decided", percent(run.decided_share)],
      ]} />
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
        {isAsked ? "Cancelling …" : ""}
      </p>
      <Trouble problem={cancel.problem} />
    </>
  );
}

export function Progress({run, onCancel}: {run: RunDetails; onCancel: () => void}) {
  return (
    <>
      <OfSearch run={run} />
      <Cancel run={run} onCancel={onCancel} />
    </>
  );
}
