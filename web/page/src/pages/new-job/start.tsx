// A run that begins: what refuses it stands where its button is.
import {useState} from "preact/hooks";
import {pageJobs, type JobText} from "../../page-jobs-api.js";
import {mistakeWords} from "../../job/edited.js";
import {linkToRun} from "../../route.js";
import {Trouble, useAction, type Action} from "../../ui.js";

/** What can be said of a job before it runs; the page's own words, or pgveil's of its text. */
export class Refusal extends Error {}

/** → the run's id. */
export async function checkedStart(job: JobText): Promise<string> {
  const {error} = await pageJobs.check(job);
  if (error) throw new Refusal(mistakeWords(error));
  return (await pageJobs.start(job)).id;
}

export interface Start extends Action {
  refusal: string | null;
  forget: () => void;
}

/** work: → the run's id, which is shown then. */
export function useStart(work: () => Promise<string>): Start {
  const [refusal, setRefusal] = useState<string | null>(null);
  const action = useAction(async () => {
    setRefusal(null);
    try {
      location.hash = linkToRun(await work());
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      setRefusal(thrown.message);
    }
  });
  return {...action, refusal, forget: () => setRefusal(null)};
}

export function StartTrouble({start}: {start: Start}) {
  return (
    <>
      {start.refusal ? (
        <p class="trouble" role="alert">
          {start.refusal}
        </p>
      ) : null}
      <Trouble problem={start.problem}>
        {start.problem?.status === 409 ? <a href="#/jobs">Jobs: what runs now</a> : null}
      </Trouble>
    </>
  );
}
