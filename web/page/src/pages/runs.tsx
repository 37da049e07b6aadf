// The runs of jobs that were set up here, by whoever looks.
import {useEffect, useRef, useState} from "preact/hooks";
import {kNone, titleOf} from "../measures.js";
import {pageJobs} from "../page-jobs-api.js";
import {linkToComparison, linkToRun} from "../route.js";
import {Badge, EmptyState, Instant, Trouble, useLoaded, Waiting} from "../ui.js";
import {count, percent} from "../ui/format.js";
import {kStateTones} from "./run/states.js";

/** news: changes whenever the jobs do. */
export function Runs({news}: {news: string}) {
  const {value, problem, isBusy, again} = useLoaded("runs", pageJobs.runs);
  // The table stays while it is asked for again, so that nothing in it loses the focus.
  const heard = useRef(news);
  useEffect(() => {
    if (news === heard.current) return;
    heard.current = news;
    again();
  }, [news]);
  const [chosen, setChosen] = useState<string[]>([]);
  const pair = chosen.filter(it => value?.some(run => run.id === it));
  const turn = (id: string) =>
    setChosen((was) => (was.includes(id) ? was.filter((it) => it !== id) : [...was, id].slice(-2)));
  return (
    <section aria-labelledby="runs-title">
      <h2 id="runs-title">Runs that you set up here</h2>
      <p class="actions">
        <a class="button primary" href="#/new-job">
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
                <th scope="col">what was asked</th>
                <th scope="col">state</th>
                <th scope="col" class="number">
                  information loss
                </th>
                <th scope="col" class="number">
                  records published
                </th>
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
                      disabled={!run.report}
                      title={run.report ? undefined : "Only runs that are done can be compared."}
                      checked={chosen.includes(run.id)}
                      onChange={() => turn(run.id)}
                    />
                  </td>
                  <th scope="row">
                    <a href={linkToRun(run.id)}>{run.id}</a>
                  </th>
                  <td>{titleOf(run)}</td>
                  <td>
                    <Badge tone={kStateTones[run.state]}>{run.state}</Badge>
                  </td>
                  <td class="number">{run.report ? percent(run.report.certainty_penalty) : kNone}</td>
                  <td class="number">{run.report ? count(run.report.published_rows) : kNone}</td>
                  <td>
                    <Instant at={run.started_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : value ? (
        <EmptyState title="No runs yet" text="Set up a job to publish a table that is k-anonymous." />
      ) : null}
    </section>
  );
}
