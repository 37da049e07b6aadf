// How wrong counts by each column and pair are.
import type {Utility} from "../api.js";
import {count, percent} from "../ui/format.js";
import {Bar, Paged} from "../ui.js";
import {askedRows, notes, ofMillion, type AskedRow} from "../utility.js";

const kNames = {workload: "Questions of the workload", column: "Single columns", pair: "Pairs of columns"};

function Answer({row: {question, error}}: {row: AskedRow}) {
  if (error.rows === 0) {
    return (
      <tr>
        <th scope="row">{question}</th>
        <td colSpan={5}>NULL in every row</td>
      </tr>
    );
  }
  return (
    <tr>
      <th scope="row">{question}</th>
      <td>
        <Bar part={error.mean_error_ppm} whole={1_000_000} label={`mean error of counts by ${question}`} />{" "}
        {ofMillion(error.mean_error_ppm)}
      </td>
      <td class="number">{ofMillion(error.p95_error_ppm)}</td>
      <td class="number">{percent(error.rows_shown / error.rows)}</td>
      <td class="number">
        {count(error.groups_shown)} of {count(error.groups)}
      </td>
      <td class="number">
        {error.top_kept} of {error.top_groups}
      </td>
    </tr>
  );
}

function Answered({caption, rows}: {caption: string; rows: AskedRow[]}) {
  if (rows.length === 0) return null;
  return (
    <Paged items={rows} name="question">
      {page => <AnswerTable caption={caption} rows={page} />}
    </Paged>
  );
}

function AnswerTable({caption, rows}: {caption: string; rows: readonly AskedRow[]}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">GROUP BY</th>
            <th scope="col">mean error</th>
            <th scope="col" class="number">
              95 % are below
            </th>
            <th scope="col" class="number">
              rows shown
            </th>
            <th scope="col" class="number">
              groups shown
            </th>
            <th scope="col" class="number">
              largest right
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Answer key={row.question} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Answers({utility}: {utility: Utility | undefined}) {
  if (!utility) {
    return (
      <p class="hint">
        This version is from before pgveil measured how wrong answers are. The next build does.
      </p>
    );
  }
  const rows = askedRows(utility);
  return (
    <>
      <p class="hint">
        Of count(*) with GROUP BY: the share of a group's rows that are missing from it, because one of these
        columns is hidden there. The mean is over groups, whatever their size. No count is too high.
      </p>
      {(["workload", "column", "pair"] as const).map((kind) => (
        <Answered key={kind} caption={kNames[kind]} rows={rows.filter((it) => it.kind === kind)} />
      ))}
      {notes(utility).map((it) => (
        <p class="hint" key={it}>
          {it}
        </p>
      ))}
    </>
  );
}
