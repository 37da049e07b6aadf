// What came of a run: the result, its figures, who can be found in it, and what is lost.
import {pageJobs, type Figures, type RunDetails} from "../../page-jobs-api.js";
import {Lattice} from "../../lattice-view.js";
import {attributesOf, bucketName, buckets, figuresOf, kNone} from "../../measures.js";
import {count, percent} from "../../table.js";
import {Bar, FigureList} from "../../ui.js";

function Sizes({title, figures}: {title: string; figures: Figures}) {
  const made = buckets(figures.histogram);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">size of equivalence class</th>
            <th scope="col">records</th>
          </tr>
        </thead>
        <tbody>
          {made.map((it) => (
            <tr key={it.from}>
              <th scope="row">{bucketName(it)}</th>
              <td>
                <Bar
                  part={it.records}
                  whole={figures.rows}
                  label={`records in classes of ${bucketName(it)}`}
                />{" "}
                {count(it.records)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        Maximum re-identification risk: {percent(figures.highest_risk, 1)}. Average:{" "}
        {percent(figures.mean_risk, 1)}. Records with a risk above 20 %: {percent(figures.at_risk, 1)}.
      </p>
    </div>
  );
}

function Losses({run}: {run: RunDetails}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Loss of each quasi-identifier">
      <table>
        <caption>Loss of each quasi-identifier</caption>
        <thead>
          <tr>
            <th scope="col">column</th>
            <th scope="col">level</th>
            <th scope="col">lost</th>
          </tr>
        </thead>
        <tbody>
          {attributesOf(run).map(({name, level, loss}) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{level}</td>
              <td>
                {loss === null ? (
                  kNone
                ) : (
                  <>
                    <Bar part={loss} whole={1} label={`lost of ${name}`} /> {percent(loss, 1)}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Outcome({run}: {run: RunDetails}) {
  const report = run.report;
  if (!report) return null;
  return (
    <>
      <p class="actions">
        <a class="button" href={pageJobs.resultAddress(run.id)} download="result.csv">
          Download the result
        </a>
      </p>
      <FigureList figures={figuresOf(run).filter(([, value]) => value !== kNone)} />
      <h2>Re-identification risk</h2>
      <div class="row top">
        {run.measures?.before ? <Sizes title="Before" figures={run.measures.before} /> : null}
        {run.measures?.after ? <Sizes title="After" figures={run.measures.after} /> : null}
      </div>
      <h2>Information loss</h2>
      <Losses run={run} />
      <p class="hint">Not published: {report.not_published.join(", ") || "nothing was left out"}.</p>
      <Lattice report={report} />
    </>
  );
}
