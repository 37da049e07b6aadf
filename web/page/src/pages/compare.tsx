// Two runs side by side: which is better in what, by how much, and what was asked of each.
import {comparedFigures, comparedSettings, difference, type ComparedFigure, type Side} from "../compared.js";
import {kNone, titleOf} from "../measures.js";
import {pageJobs, type RunDetails} from "../page-jobs-api.js";
import {linkToRun} from "../route.js";
import {Badge, Bar, Card, PageHeader, Trouble, useLoaded, Waiting} from "../ui.js";

function Cell({figure, side}: {figure: ComparedFigure; side: Side}) {
  const value = figure[side];
  if (value === null) return <td>{kNone}</td>;
  const whole = Math.max(Math.abs(figure.left ?? 0), Math.abs(figure.right ?? 0));
  return (
    <td>
      <Bar part={Math.abs(value)} whole={whole} label={`${figure.name}, as a bar`} /> {figure.format(value)}{" "}
      {figure.winner === side ? <Badge tone="good">better</Badge> : null}
    </td>
  );
}

/** "A is better in 3 of 9 figures, B in 5." */
function summary(figures: ComparedFigure[], left: string, right: string): string {
  const won = (side: Side) => figures.filter(it => it.winner === side).length;
  const both = figures.filter(it => it.left !== null && it.right !== null).length;
  return `${left} is better in ${won("left")} of the ${both} figures that both have, ${right} in ${won("right")}.`;
}

function Figures({figures, left, right}: {figures: ComparedFigure[]; left: string; right: string}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Comparison">
      <table class="compared">
        <caption>Figures of both runs; the difference goes from the first to the second</caption>
        <thead>
          <tr>
            <th scope="col">figure</th>
            <th scope="col">{left}</th>
            <th scope="col">{right}</th>
            <th scope="col" class="number">
              difference
            </th>
          </tr>
        </thead>
        <tbody>
          {figures.map((it) => (
            <tr key={it.name}>
              <th scope="row">{it.name}</th>
              <Cell figure={it} side="left" />
              <Cell figure={it} side="right" />
              <td class="number">{difference(it)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Settings({one, other, left, right}: {one: RunDetails; other: RunDetails; left: string; right: string}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="What was asked of each run">
      <table class="settings">
        <caption>What was asked of each run, and the levels that came out</caption>
        <thead>
          <tr>
            <th scope="col">setting</th>
            <th scope="col">{left}</th>
            <th scope="col">{right}</th>
          </tr>
        </thead>
        <tbody>
          {comparedSettings(one, other).map(([name, mine, theirs]) => (
            <tr key={name} class={mine === theirs ? "" : "differs"}>
              <th scope="row">{name}</th>
              <td>{mine}</td>
              <td>{theirs}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Compared({one, other}: {one: RunDetails; other: RunDetails}) {
  if (!one.report || !other.report) {
    return (
      <p class="trouble" role="alert">
        <strong>Only runs that are done can be compared.</strong>
        <span class="hint">{[one, other].filter(it => !it.report).map(it => it.id).join(" and ")} has no result.</span>
      </p>
    );
  }
  // Two runs of one job with the same settings differ by their ids alone.
  const isSame = titleOf(one) === titleOf(other);
  const [left, right] = [one, other].map(it => (isSame ? `${titleOf(it)} (${it.id})` : titleOf(it)));
  const names = {left: left ?? one.id, right: right ?? other.id};
  const figures = comparedFigures(one, other);
  return (
    <div class="stack">
      <Card title="Figures">
        <p role="status">{summary(figures, names.left, names.right)}</p>
        <Figures figures={figures} {...names} />
      </Card>
      <Card title="Settings">
        <Settings one={one} other={other} {...names} />
      </Card>
    </div>
  );
}

export function ComparePage({left, right}: {left: string; right: string}) {
  const one = useLoaded(left, () => pageJobs.run(left));
  const other = useLoaded(right, () => pageJobs.run(right));
  return (
    <section>
      <PageHeader
        title="Two runs compared"
        lead={
          <>
            <a href={linkToRun(left)}>{left}</a> and <a href={linkToRun(right)}>{right}</a>
          </>
        }
        crumbs={[{title: "Jobs", href: "#/jobs"}]}
      />
      <Waiting isBusy={one.isBusy || other.isBusy} />
      <Trouble problem={one.problem ?? other.problem} />
      {one.value && other.value ? <Compared one={one.value} other={other.value} /> : null}
    </section>
  );
}
