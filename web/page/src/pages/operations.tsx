// What the proxy does now, as graphs over the time that this tab has looked.
import {useState} from "preact/hooks";
import {perMinute, useHistory, type Sample} from "../history.js";
import {useLive, type Tables} from "../live.js";
import {levels, meanLatency, perSecond, type Point} from "../operations.js";
import {linkToAudit} from "../route.js";
import {records} from "../table.js";
import {count, decimal, duration, kNone} from "../ui/format.js";
import {
  Badge, Bar, Button, Card, EmptyState, Grid, Instant, LineChart, PageHeader, Skeleton, Sparkline, Stat, Stats,
} from "../ui.js";

const kTables: [topic: string, title: string][] = [
  ["pools", "Pools"],
  ["clients", "Clients"],
  ["stats", "Traffic by database"],
  ["refusals", "Refusals by reason, since the start"],
  ["databases", "Databases"],
];

const kHeight = 170;

const clock = (at: number) =>
  new Date(at).toLocaleTimeString("en-GB", {hour: "2-digit", minute: "2-digit", second: "2-digit"});

const last = (points: Point[]) => points[points.length - 1]?.y;

function Now({samples}: {samples: Sample[]}) {
  const now = samples[samples.length - 1];
  const statements = perSecond(samples, "answered");
  const latency = meanLatency(samples);
  const recent = (points: Point[]) => points.slice(-60).map(it => it.y);
  return (
    <Card>
      <Stats>
        <Stat label="Clients" value={count(now?.clients ?? 0)}
          trend={<Sparkline label="Clients" values={recent(levels(samples, "clients"))} />} />
        <Stat label="Waiting for a server" value={count(now?.waiting ?? 0)}
          tone={(now?.waiting ?? 0) > 0 ? "warn" : "neutral"} unit="clients" />
        <Stat label="Statements" value={decimal(last(statements) ?? 0)} unit="/s"
          trend={<Sparkline label="Statements per second" values={recent(statements)} />} />
        <Stat label="Latency" value={duration(last(latency) ?? NaN)} hint="mean of the statements last ended" />
        <Stat label="Refused" value={count(now?.refused ?? 0)} hint="since the start of pgveil" />
      </Stats>
    </Card>
  );
}

function Graphs({samples, children}: {samples: Sample[]; children: preact.ComponentChildren}) {
  if (samples.length < 2)
    return (
      <>
        <p class="hint" role="status">The graphs begin in a few seconds.</p>
        {children}
      </>
    );
  const latency = meanLatency(samples);
  return (
    <div class="trend-cards">
      <Card title="Statements">
        <LineChart label="Statements" unit="/s" formatX={clock} height={kHeight} isFilled
          series={[{name: "statements", points: perSecond(samples, "answered")}]} />
      </Card>
      <Card title="Latency">
        {latency.length === 0 ? (
          <EmptyState title="No statement yet" text="No statement has ended since this page was opened." />
        ) : (
          <LineChart label="Mean latency" unit="ms" formatX={clock} height={kHeight}
            series={[{name: "mean latency", points: latency}]} />
        )}
      </Card>
      <Card title="Clients">
        <LineChart label="Clients" formatX={clock} height={kHeight}
          series={[
            {name: "connected", points: levels(samples, "clients")},
            {name: "waiting for a server", points: levels(samples, "waiting")},
          ]} />
      </Card>
      <Card title="Server connections">
        <LineChart label="Server connections" formatX={clock} height={kHeight}
          series={[
            {name: "in use", points: levels(samples, "inUse")},
            {name: "idle", points: levels(samples, "idle")},
          ]} />
      </Card>
      <Card title="Refused statements">
        <LineChart label="Refused statements" unit="/min" formatX={clock} height={kHeight}
          series={[{name: "refused", points: perMinute(samples, "refused")}]} />
      </Card>
      {children}
    </div>
  );
}

function Refusals({tables, isAdmin}: {tables: Tables; isAdmin: boolean}) {
  const table = tables["refusals"];
  if (!table) return null;
  const rows = records(table)
    .map(row => ({reason: row["reason"] ?? "", count: Number(row["total_count"]) || 0, at: row["last_at"]}))
    .filter(it => it.count > 0)
    .sort((a, b) => b.count - a.count);
  const most = rows[0]?.count ?? 0;
  return (
    <Card title="Refusals by reason">
      {rows.length === 0 ? (
        <EmptyState title="Nothing was refused" text="No statement was refused since pgveil started." />
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Refusals by reason">
          <table>
            <caption class="hidden">Refusals by reason</caption>
            <thead>
              <tr>
                <th scope="col">reason</th>
                <th scope="col">since the start</th>
                <th scope="col">latest</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(it => (
                <tr key={it.reason}>
                  <th scope="row">
                    {isAdmin ? <a href={linkToAudit("reason", it.reason)}>{it.reason.replaceAll("_", " ")}</a>
                      : it.reason.replaceAll("_", " ")}
                  </th>
                  <td><Bar part={it.count} whole={most} label={`${it.reason}: ${it.count}`} /> {count(it.count)}</td>
                  <td><Instant at={it.at} /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

function Pools({tables}: {tables: Tables}) {
  const table = tables["pools"];
  const sizes = new Map(
    tables["databases"] ? records(tables["databases"]).map(it => [it["name"], Number(it["pool_size"])]) : []);
  const rows = table ? records(table).filter(it => it["database"] !== "pgveil") : [];
  const number = (text: string | null | undefined) => Number(text) || 0;
  return (
    <Card title="Pools">
      {rows.length === 0 ? (
        <EmptyState title="No pool yet" text="A pool begins with the first client of a database and a user." />
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Pools">
          <table>
            <caption class="hidden">Pools</caption>
            <thead>
              <tr>
                <th scope="col">pool</th>
                <th scope="col">in use</th>
                <th scope="col" class="number">idle</th>
                <th scope="col" class="number">waiting clients</th>
                <th scope="col" class="number">longest wait</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(row => {
                const size = sizes.get(row["database"] ?? "") ?? 0;
                const used = number(row["sv_active"]);
                const wait = 1000 * number(row["maxwait"]) + number(row["maxwait_us"]) / 1000;
                return (
                  <tr key={`${row["database"]} ${row["user"]}`}>
                    <th scope="row">{row["database"]}, {row["user"]}</th>
                    <td>
                      <Bar part={used} whole={Math.max(size, used)} label={`${used} of ${size} in use`} />{" "}
                      {count(used)}{size > 0 ? ` of ${count(size)}` : ""}
                    </td>
                    <td class="number">{count(number(row["sv_idle"]))}</td>
                    <td class="number">{count(number(row["cl_waiting"]))}</td>
                    <td class="number">{wait > 0 ? duration(wait) : kNone}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

export function Operations({isAdmin = false}: {isAdmin?: boolean}) {
  const [isOn, setOn] = useState(true);
  const {tables, isConnected} = useLive(isOn);
  const taken = useHistory();
  const [stopped, setStopped] = useState<Sample[]>([]);
  const samples = isOn ? taken : stopped;
  const state = !isOn ? "stopped" : isConnected ? "live" : "connecting …";
  return (
    <section>
      <PageHeader
        title="Operations"
        lead="Clients, connections and statements since this page was opened."
        actions={
          <>
            <span role="status">
              <Badge tone={!isOn ? "neutral" : isConnected ? "good" : "warn"}>{state}</Badge>
            </span>
            <Button aria-pressed={isOn ? "false" : "true"} onClick={() => {
                setStopped(taken);
                setOn(it => !it);
              }}>
              {isOn ? "Stop updates" : "Resume updates"}
            </Button>
          </>
        }
      />
      {samples.length === 0 ? <Skeleton lines={4} /> : (
        <div class="stack">
          <Now samples={samples} />
          <Graphs samples={samples}>
            <Refusals tables={tables} isAdmin={isAdmin} />
          </Graphs>
          <Pools tables={tables} />
          <details>
            <summary>All figures of the console</summary>
            {kTables.map(([topic, title]) => {
              const table = tables[topic];
              return table ? <Grid key={topic} caption={title} table={table} /> : null;
            })}
          </details>
        </div>
      )}
    </section>
  );
}
