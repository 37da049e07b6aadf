// Answers and refusals since this page was opened.
import {growth, perMinute, useHistory, type Sample} from "../history.js";
import {Card, count, decimal, LineChart, Skeleton, Sparkline, Stat} from "../ui.js";

const time = (at: number) =>
  new Date(at).toLocaleTimeString("en-GB", {hour: "2-digit", minute: "2-digit", second: "2-digit"});

const values = (samples: Sample[], counter: "answered" | "refused") =>
  perMinute(samples, counter).slice(-60).map(it => it.y);

function TrafficStats() {
  const samples = useHistory();
  const last = samples[samples.length - 1];
  const stat = (counter: "answered" | "refused", label: string) => {
    const total = last?.[counter];
    return (
      <Stat
        label={label}
        value={last ? count(growth(samples, counter)) : "–"}
        trend={last ? <Sparkline label={`${label} per minute`} values={values(samples, counter)} /> : null}
        hint={`since this page was opened${total === undefined ? "" : `; ${count(total)} in all`}`}
      />
    );
  };
  return (
    <>
      {stat("answered", "Statements answered")}
      {stat("refused", "Statements refused")}
    </>
  );
}

function TrafficChart() {
  const samples = useHistory();
  const answered = perMinute(samples, "answered");
  const refused = perMinute(samples, "refused");
  return (
    <Card title="Answers and refusals">
      {answered.length + refused.length < 2 ? (
        <>
          <p class="hint">The curve begins when this page is opened. It needs some seconds.</p>
          <Skeleton lines={5} />
        </>
      ) : (
        <>
          <p class="hint">Per minute, since this page was opened.</p>
          <LineChart
            label="Statements per minute"
            unit="/min"
            isFilled
            formatX={time}
            formatY={decimal}
            series={[{name: "answered", points: answered}, {name: "refused", points: refused}]}
          />
        </>
      )}
      <p><a href="#/operations">Operations</a> has more.</p>
    </Card>
  );
}

export const Traffic = {Stats: TrafficStats, Chart: TrafficChart};
