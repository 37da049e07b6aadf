// What a cluster did for a run: parts of the table, and where the time went.
import {partsOf, timeWords, timesOf} from "../../cluster.js";
import type {ClusterReport} from "../../page-jobs-api.js";
import {count} from "../../table.js";
import {Bar} from "../../ui.js";

function Parts({report}: {report: ClusterReport}) {
  const parts = partsOf(report);
  const largest = parts[0]?.records ?? 0;
  const left = report.records_by_part.length - parts.length;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Parts of the table">
      <table>
        <caption>Parts of the table, the largest first</caption>
        <thead>
          <tr>
            <th scope="col">part</th>
            <th scope="col">records</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({part, records}) => (
            <tr key={part}>
              <th scope="row">{part}</th>
              <td>
                <Bar part={records} whole={largest} label={`records of part ${part}`} /> {count(records)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 ? <p class="hint">{count(left)} more, none of them larger.</p> : null}
    </div>
  );
}

function Times({report}: {report: ClusterReport}) {
  const times = timesOf(report);
  const whole = times.reduce((sum, [, ms]) => sum + ms, 0);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Where the time went">
      <table>
        <caption>Where the time went: {timeWords(whole)}</caption>
        <thead><tr><th scope="col">step</th><th scope="col">time</th></tr></thead>
        <tbody>
          {times.map(([name, ms]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td><Bar part={ms} whole={whole} label={`time of ${name}`} /> {timeWords(ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function ClusterWork({report}: {report: ClusterReport}) {
  return (
    <>
      <h2>What the cluster did</h2>
      {report.notes.length > 0 ? <ul>{report.notes.map(note => <li key={note}>{note}</li>)}</ul> : null}
      <div class="row top">
        <Parts report={report} />
        <Times report={report} />
      </div>
    </>
  );
}
