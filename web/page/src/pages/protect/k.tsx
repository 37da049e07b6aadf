// How many people must share what is shown: a slider, and what each k costs.
import {api} from "../../api.js";
import {useChecked} from "../../checked-text.js";
import type {CurvePoint} from "../../protect/api.js";
import {
  askedAltogether,
  effectsOf,
  headline,
  kStops,
  measuredOf,
  stopOf,
  type Measured,
} from "../../protect/curve.js";
import {curveKey, formOf, withFormOf} from "../../protect/flow.js";
import {useCurve, type CurveState} from "../../protect/use-curve.js";
import {Bar, Button, Card, Skeleton, Stat, Stats, Trouble} from "../../ui.js";
import {count, percent, roughly} from "../../ui/format.js";
import {notes} from "../../utility.js";
import type {StepProps} from "./flow.js";
import {KCurve} from "./k-curve.js";

function errorWords(shown: number | null, error: number | null): string {
  if (shown === 0) return "never shown";
  if (error === null) return "–";
  return error === 0 ? "exact" : roughly(error);
}

function Effects({k, point, priority}: {k: number; point: CurvePoint; priority: readonly string[]}) {
  if ("error" in point) return <p class="note warn">With k = {k} there is no answer: {point.error}.</p>;
  const effects = effectsOf(point.utility);
  const sentence = headline(k, point.utility, priority);
  const measured = measuredOf(point);
  return (
    <>
      {sentence ? <p class="headline">{sentence}</p> : null}
      <Stats>
        <Stat label="values shown" value={measured ? percent(measured.shown) : "–"} />
        <Stat
          label="counts too low, on average"
          value={measured?.error === null || measured === null ? "–" : roughly(measured.error)}
        />
        <Stat label="equivalence classes" value={count(point.disclosure.cohorts)} />
        <Stat label="smallest class" value={count(point.disclosure.smallest_cohort)} unit="people" />
      </Stats>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Columns at k = ${k}`}>
        <table class="effects">
          <caption>Each column at k = {k}</caption>
          <thead>
            <tr>
              <th scope="col">column</th>
              <th scope="col">shown in</th>
              <th scope="col">counts by it are too low by</th>
            </tr>
          </thead>
          <tbody>
            {effects.map(({column, shown, error}) => (
              <tr key={column}>
                <th scope="row">{column}</th>
                <td>
                  <Bar part={shown ?? 0} whole={1} label={`Share of rows in which ${column} is shown`} />{" "}
                  {shown === null ? "no values" : percent(shown)}
                </td>
                <td>{errorWords(shown, error)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {notes(point.utility).slice(0, 6).map(it => <p class="note" key={it}>{it}</p>)}
    </>
  );
}

/** The slider, the curve, and what the chosen k costs. mistake: why nothing can be counted, as a sentence. */
export function KPanel({k, curve, priority, mistake, onChoose}: {
  k: number;
  curve: CurveState;
  priority: readonly string[];
  mistake: string | null;
  onChoose: (k: number) => void;
}) {
  const put = (next: number) => {
    if (Number.isSafeInteger(next) && next >= 2) onChoose(next);
  };
  const all = [...curve.points.values()].map(measuredOf);
  const measured = all.filter((it): it is Measured => it !== null);
  const point = curve.points.get(k);
  const progress = `Counting: ${curve.points.size} of ${askedAltogether(k)} points. The table is read once.`;
  const end = measured.length > 0
    ? "Counted from the table as it is now. Only Build decides what is shown." : "";
  return (
    <div class="k-layout">
      <Card>
        <div class="k-choice">
          <label>
            k
            <input
              type="number"
              class="k-number"
              min={2}
              max={9007199254740991}
              step={1}
              value={k}
              onInput={it => put(Number(it.currentTarget.value))}
            />
          </label>
          <label class="wide">
            <span class="hidden">k, by slider</span>
            <input
              type="range"
              min={0}
              max={kStops.length - 1}
              step={1}
              value={stopOf(k)}
              aria-valuetext={`k = ${k}`}
              onInput={it => put(kStops[Number(it.currentTarget.value)] ?? k)}
            />
            <span class="k-ends" aria-hidden="true">
              <span>2 shows more</span>
              <span>200 protects more</span>
            </span>
          </label>
        </div>
        {mistake ? <p class="note warn">{mistake}</p> : null}
        <Trouble problem={curve.problem}>
          {" "}
          <Button onClick={curve.again}>Try again</Button>
        </Trouble>
        <KCurve points={measured} k={k} onChoose={put} />
        <p class="hint" role="status">{curve.isBusy ? progress : end}</p>
      </Card>
      <Card>
        {point ? <Effects k={k} point={point} priority={priority} />
          : curve.problem || mistake ? <p class="hint">There is no figure for k = {k} yet.</p>
            : <Skeleton lines={6} />}
      </Card>
    </div>
  );
}

export function KStep({flow, change}: StepProps) {
  const form = formOf(flow);
  const k = form?.k ?? 2;
  const {check, problem, again} = useChecked(flow.text, () => api.checkDesign(flow.text));
  const mistake = check?.error ?? null;
  const curve = useCurve(
    {
      key: curveKey(flow),
      text: flow.text,
      policy: flow.policy,
      k,
      isReady: form !== null && check !== null && mistake === null,
    },
    flow.curve,
    known => change(was => (curveKey(was) === known.key ? {...was, curve: known} : was)),
  );
  if (!form) return null;
  const reason = flow.columns.draft?.k_reason;
  return (
    <>
      <h2 tabIndex={-1}>How many people must share what is shown?</h2>
      <p class="lead">
        Whatever a reader sees of a person, at least <strong>k</strong> people look exactly like that. A
        larger k protects better and shows less.
      </p>
      {reason && flow.columns.draft?.k === k ? <p class="note">k = {k} was proposed: {reason}.</p> : null}
      {flow.columns.may_count ? null : (
        <p class="note warn">
          pgveil may not read this table yet, so it can't count. The step Apply has the SQL that grants it.
        </p>
      )}
      <Trouble problem={problem}>
        {" "}
        <Button onClick={again}>Try again</Button>
      </Trouble>
      <KPanel
        k={k}
        curve={curve}
        priority={form.priority}
        mistake={mistake ? `The YAML has a mistake in line ${mistake.line}: ${mistake.message}.` : null}
        onChoose={next => change(was => withFormOf(was, {...form, k: next}))}
      />
    </>
  );
}
