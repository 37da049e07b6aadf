// What came of a run: the result, the figures that matter, the sizes of its classes, and what is lost.
import {pageJobs, type Report, type RunDetails} from "../../page-jobs-api.js";
import {Lattice} from "../../lattice-view.js";
import {resultNameOf} from "../../job/names.js";
import {attributesOf, comparedSizes, figuresOf, kNone, privacyWords, recordsRead} from "../../measures.js";
import {Bar, Bars, Card, FigureList, Stat, Stats} from "../../ui.js";
import {count, percent} from "../../ui/format.js";

/** What became of the records that had to be suppressed. */
function suppressedWords({suppressed_rows: all, dropped_rows: dropped, hidden_rows: hidden}: Report): string {
  if (all === 0) return "no record had to be suppressed";
  if (dropped === all) return `${count(all)} suppressed records are left out`;
  if (hidden === all) return `${count(all)} suppressed records show nothing`;
  return `${count(all)} suppressed records show * and their other columns`;
}

function Result({report}: {report: Report}) {
  if (report.mondrian)
    return <Stat label="Result" value="groups" hint={`made by ${report.mondrian.algorithm}, which proves no optimum`} />;
  if (!report.search || report.differential_privacy) return <Stat label="Result" value="as chosen" />;
  const notProven = "not proven: the search was stopped, or is a heuristic";
  if (!report.search.is_proven)
    return <Stat label="Result" value="best found" tone="warn" hint={notProven} />;
  const best = `no transformation has a better ${report.metric}`;
  if (report.is_recoding_proven)
    return <Stat label="Result" value="proven optimum" tone="good" hint={best} />;
  const further = `${best}; those of local recoding are not proven, because their search was stopped`;
  return <Stat label="Result" value="optimum, recoding not proven" tone="warn" hint={further} />;
}

function KeyFigures({run, report}: {run: RunDetails; report: Report}) {
  const after = run.measures?.after;
  const sampled = report.differential_privacy;
  return (
    <Stats>
      <Result report={report} />
      <Stat
        label="Records published"
        value={count(report.published_rows)}
        unit={`of ${count(report.rows)}${report.differential_privacy ? " sampled" : ""}`}
        hint={suppressedWords(report)}
      />
      <Stat label="Smallest equivalence class" value={count(report.smallest_class)} hint={`k is ${report.k}${sampled ? ", from ε and δ" : ""}`} />
      {sampled ? (
        <Stat
          label="Differential privacy"
          value={privacyWords(sampled)}
          hint={`${count(report.rows)} of ${count(sampled.read_rows)} records were sampled, each with a probability of ${percent(sampled.beta)}`}
        />
      ) : null}
      {after ? (
        <Stat
          label="Maximum re-identification risk"
          value={percent(after.highest_risk)}
          hint={`${percent(after.mean_risk)} on average`}
        />
      ) : null}
      <Stat
        label="Information loss"
        value={percent(report.certainty_penalty)}
        hint="mean share of its hierarchy that a cell stands for (GCP)"
      />
    </Stats>
  );
}

/** Of a sample whose secret is thrown away. */
function PublishOnce() {
  return (
    <p class="hint">
      Publish one table of these people only: another run draws another sample, and the ε and δ of both add up.
      The figures of this page tell exact numbers of records, so do not publish them.
    </p>
  );
}

function Sizes({run, report}: {run: RunDetails; report: Report}) {
  const {before = null, after = null, starred_rows: starred = 0} = run.measures ?? {};
  if (!before && !after) return null;
  const all = recordsRead(report);
  const made = comparedSizes(before, after, starred, report.dropped_rows, all - report.rows);
  return (
    <Card title="Sizes of equivalence classes, before and after">
      <Bars
        label="records in equivalence classes of this size"
        series={["before", "after"]}
        format={count}
        max={all}
        bars={made.map(it => ({label: it.label, values: [it.before, it.after]}))}
      />
      {before ? (
        <p class="hint">
          Both sides count the {count(all)} records of the input, so that bars of one length are the same
          number of records. Before, the maximum re-identification risk is {percent(before.highest_risk)} and
          the average {percent(before.mean_risk)}.
        </p>
      ) : null}
    </Card>
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
                    <Bar part={loss} whole={1} label={`lost of ${name}`} /> {percent(loss)}
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
    <div class="stack">
      <Card
        actions={
          <a class="button primary" href={pageJobs.resultAddress(run.id)} download={resultNameOf(run.name)}>
            Download the result
          </a>
        }
      >
        <KeyFigures run={run} report={report} />
        {report.differential_privacy ? <PublishOnce /> : null}
      </Card>
      <div class="cards">
        <Sizes run={run} report={report} />
        <Card title="Information loss">
          <Losses run={run} />
          <p class="hint">
            Columns that are not published: {report.not_published.join(", ") || "none"}.
          </p>
        </Card>
      </div>
      <Card title="All figures">
        <FigureList figures={figuresOf(run).filter(([, value]) => value !== kNone)} />
      </Card>
      <Lattice report={report} />
    </div>
  );
}
