// The runs of jobs that were set up here, by whoever looks.
import {useState} from "preact/hooks";
import {pageJobs, type Run} from "../page-jobs-api.js";
import {linkToComparison, linkToRun} from "../route.js";
import {Trouble, useLoaded, Waiting} from "../ui.js";

function scoreOf(run: Run): string {
  const score = run.report ? run.report.scores[run.report.metric] : run.best;
  return score === null || score === undefined
    ? "–"
    : String(Array.isArray(score) ? score.join(", ") : score);
}

/** news: changes whenever the jobs do. */
export function Runs({news}: {news: string}) {
  const {value, problem, isBusy} = useLoaded(`runs ${news}`, pageJobs.runs);
  const [chosen, setChosen] = useState<string[]>([]);
  const pair = chosen.filter(it => value?.some(run => run.id === it));
  const turn = (id: string) =>
    setChosen((was) => (was.includes(id) ? was.filter((it) => it !== id) : [...was, id].slice(-2)));
  return (
    <section aria-labelledby="runs-title">
      <h2 id="runs-title">Runs that you set up here</h2>
      <p class="actions">
        <a class="button" href="#/new-job">
          Set up a job
        </a>
        {pair.length === 2 ? (
          <a class="button" href={linkToComparison(pair[0] ?? "", pair[1] ?? "")}>
            Compare the two
          </a>
        ) : null}
      </p>
      <Waiting isBusy={isBusy} />
      <Trouble problem={problem} />
      {value && value.length > 0 ? (
        <div class="scroll" tabIndex={0} role="region" aria-label="Your runs">
          <table>
            <caption>Your runs, newest first; the last twelve are kept</caption>
            <thead>
              <tr>
                <th scope="col">compare</th>
                <th scope="col">run</th>
                <th scope="col">name</th>
                <th scope="col">state</th>
                <th scope="col">k</th>
                <th scope="col">score</th>
                <th scope="col">started</th>
              </tr>
            </thead>
            <tbody>
              {value.map((run) => (
                <tr key={run.id}>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Compare ${run.id}`}
                      checked={chosen.includes(run.id)}
                      onChange={() => turn(run.id)}
                    />
                  </td>
                  <th scope="row">
                    <a href={linkToRun(run.id)}>{run.id}</a>
                  </th>
                  <td>{run.name}</td>
                  <td>{run.state}</td>
                  <td>{run.report?.k ?? "–"}</td>
                  <td>{scoreOf(run)}</td>
                  <td>{run.started_at}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </section>
  );
}
