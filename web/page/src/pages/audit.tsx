// The audit log: a range of time, filters by a click, counts by a key, and files.
import {useState} from "preact/hooks";
import {api, type AuditAnswer, type AuditFilter} from "../api.js";
import {
  auditCsv, auditLines, filledColumns, fromOf, instantOf, kNoFilter, policiesOf, restOf, textOf, timeOf,
  type AuditColumn, type AuditEvent, type AuditKey, type Range,
} from "../audit.js";
import {saveText} from "../download.js";
import type {AuditLink} from "../route.js";
import {count, duration} from "../ui/format.js";
import {
  Badge, Bar, Button, Card, Chip, EmptyState, PageHeader, Paged, Skeleton, Trouble, useAction, useLoaded, useToast,
  type Tone,
} from "../ui.js";

const kMostExported = 10_000;

const kRanges: [Range, string][] = [
  ["hour", "Last hour"], ["day", "Last 24 hours"], ["week", "Last 7 days"], ["all", "All"], ["own", "From … to"],
];

const kKeys: [AuditKey, string][] = [
  ["event", "Event"], ["verdict", "Verdict"], ["role", "Role"], ["database", "Database"], ["reason", "Reason"],
];

const kTitles: Record<AuditColumn, string> = {
  what: "event", role: "role", text: "statement or reason", rows: "rows", took: "took", policies: "policies",
  client: "client", more: "more",
};

const kTones: Record<string, Tone> = {
  refused: "bad", failed: "bad", error: "bad", bypass: "warn", exempt: "warn", masked: "good", done: "good",
  "let in": "good", open: "neutral",
};

type Choose = (key: AuditKey, value: string) => void;

/** A value that becomes the filter. */
function Value({name, event, onChoose, children}: {
  name: AuditKey;
  event: AuditEvent;
  onChoose: Choose;
  children?: preact.ComponentChildren;
}) {
  const value = textOf(event[name]);
  if (value === null) return null;
  return (
    <button type="button" class="link" title={`Only ${name} ${value}`} onClick={() => onChoose(name, value)}>
      {children ?? value}
    </button>
  );
}

function Cell({column, event, onChoose}: {column: AuditColumn; event: AuditEvent; onChoose: Choose}) {
  switch (column) {
    case "what":
      return (
        <td>
          <Value name="event" event={event} onChoose={onChoose}>
            {(textOf(event["event"]) ?? "").replaceAll("_", " ")}
          </Value>{" "}
          {event["verdict"] === undefined ? null : (
            <Value name="verdict" event={event} onChoose={onChoose}>
              <Badge tone={kTones[textOf(event["verdict"]) ?? ""] ?? "neutral"}>{textOf(event["verdict"])}</Badge>
            </Value>
          )}
        </td>
      );
    case "role":
      return (
        <td>
          <Value name="role" event={event} onChoose={onChoose} />
          <div class="hint"><Value name="database" event={event} onChoose={onChoose} /></div>
        </td>
      );
    case "text": {
      const sql = textOf(event["sql"]);
      return (
        <td>
          {sql === null ? null : <div class="sql clamp" title={sql}>{sql}</div>}
          <Value name="reason" event={event} onChoose={onChoose}>
            {(textOf(event["reason"]) ?? "").replaceAll("_", " ")}
          </Value>
          {event["sqlstate"] === undefined ? null : <> <code>{textOf(event["sqlstate"])}</code></>}
        </td>
      );
    }
    case "rows":
      return <td class="number">{typeof event["rows"] === "number" ? count(event["rows"]) : ""}</td>;
    case "took":
      return (
        <td class="number">
          {typeof event["took_us"] === "number" ? duration(event["took_us"] / 1000) : ""}
        </td>
      );
    case "policies":
      return <td>{policiesOf(event["policies"])}</td>;
    case "client":
      return <td>{textOf(event["client"])}</td>;
    case "more":
      return (
        <td>
          <details>
            <summary>{textOf(event["request"]) ?? "more"}</summary>
            {restOf(event).map(([key, value]) => <div key={key}>{key}: {value}</div>)}
          </details>
        </td>
      );
  }
}

function Lines({events, onChoose}: {events: readonly AuditEvent[]; onChoose: Choose}) {
  const columns = filledColumns(events);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Events, newest first">
      <table class="audit">
        <caption class="hidden">Events, newest first</caption>
        <thead>
          <tr>
            <th scope="col">time</th>
            {columns.map(it => (
              <th scope="col" key={it} class={it === "rows" || it === "took" ? "number" : ""}>{kTitles[it]}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {events.map((event, at) => (
            <tr key={at}>
              <td><time title={textOf(event["at"]) ?? ""}>{timeOf(event["at"])}</time></td>
              {columns.map(it => <Cell key={it} column={it} event={event} onChoose={onChoose} />)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Groups({filter, onChoose}: {filter: AuditFilter; onChoose: Choose}) {
  const [by, setBy] = useState<AuditKey>("role");
  const {value, problem} = useLoaded(
    JSON.stringify([filter, by]), () => api.auditGroups(filter, by));
  const most = value?.groups[0]?.lines ?? 0;
  return (
    <Card title="How many lines">
      <label class="filter">
        By{" "}
        <select value={by} onChange={it => setBy(it.currentTarget.value as AuditKey)}>
          {kKeys.map(([key, title]) => <option key={key} value={key}>{title.toLowerCase()}</option>)}
        </select>
      </label>
      <Trouble problem={problem} />
      {!value && !problem ? <Skeleton lines={3} /> : null}
      {value && value.groups.length === 0 ? <p class="hint">No line has this.</p> : null}
      {value && value.groups.length > 0 ? (
        <Paged items={value.groups} name="value" rows={10}>
          {page => (
            <div class="scroll" tabIndex={0} role="region" aria-label={`Lines by ${by}`}>
              <table>
                <caption class="hidden">Lines by {by}</caption>
                <tbody>
                  {page.map(it => (
                    <tr key={it.value}>
                      <th scope="row">
                        <button type="button" class="link" onClick={() => onChoose(by, it.value)}>{it.value}</button>
                      </th>
                      <td><Bar part={it.lines} whole={most} label={`${it.value}: ${it.lines}`} /></td>
                      <td class="number">{count(it.lines)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </Paged>
      ) : null}
      {value && !value.is_whole ? <p class="hint">Of the last 64 MiB of the log.</p> : null}
    </Card>
  );
}

export function Audit({link}: {link?: AuditLink}) {
  const [filter, setFilter] = useState<AuditFilter>(
    {...kNoFilter, from: fromOf("day", Date.now()), ...(link ? {[link.key]: link.value} : {})});
  const [range, setRange] = useState<Range>("day");
  const [words, setWords] = useState(filter.text);
  const [own, setOwn] = useState({from: "", to: ""});
  /** What was asked for after an answer; it goes with that answer. */
  const [more, setMore] = useState<{after: AuditAnswer | null; answers: AuditAnswer[]}>(
    {after: null, answers: []});
  const toast = useToast();
  const key = JSON.stringify(filter);
  const first = useLoaded(key, () => api.audit(filter));
  const pages = first.value ? [first.value, ...(more.after === first.value ? more.answers : [])] : [];
  const events = pages.flatMap(it => it.events);
  const next = pages[pages.length - 1]?.next ?? null;
  const older = useAction(async () => {
    if (next === null) return;
    const [after, ...before] = pages;
    const answer = await api.audit({...filter, before: next});
    setMore({after: after ?? null, answers: [...before, answer]});
  });
  const save = (extension: "csv" | "jsonl") => async () => {
    const found = await api.audit(filter, kMostExported);
    const text = extension === "csv" ? auditCsv(found.events) : auditLines(found.events);
    saveText(`pgveil-audit.${extension}`, text);
    if (found.next === null) toast(`${count(found.events.length)} lines were saved.`, "good");
    else
      toast(
        `The latest ${count(found.events.length)} lines were saved. There are older ones: choose a shorter time.`,
        "warn",
      );
  };
  const csv = useAction(save("csv"));
  const lines = useAction(save("jsonl"));
  const choose: Choose = (name, value) => setFilter(was => ({...was, [name]: value}));
  const chooseRange = (to: Range) => {
    setRange(to);
    if (to !== "own") setFilter(was => ({...was, from: fromOf(to, Date.now()), to: ""}));
  };
  const refresh = () => {
    if (range === "hour" || range === "day" || range === "week")
      setFilter(was => ({...was, from: fromOf(range, Date.now())}));
    else first.again();
  };
  const chosen = kKeys.filter(([name]) => filter[name]);
  return (
    <section>
      <PageHeader
        title="Audit log"
        lead="Logins, statements and commands, without values. Each look at this log is recorded too."
        actions={
          <>
            <Button onClick={refresh} isBusy={first.isBusy}>Refresh</Button>
            <Button isBusy={csv.isBusy} onClick={csv.run}>Save as CSV</Button>
            <Button isBusy={lines.isBusy} onClick={lines.run}>Save as JSON lines</Button>
          </>
        }
      />
      <form
        class="row"
        onSubmit={event => {
          event.preventDefault();
          setFilter(was => ({
            ...was,
            text: words,
            ...(range === "own" ? {from: instantOf(own.from), to: instantOf(own.to)} : {}),
          }));
        }}
      >
        <label>
          Time
          <select value={range} onChange={it => chooseRange(it.currentTarget.value as Range)}>
            {kRanges.map(([name, title]) => <option key={name} value={name}>{title}</option>)}
          </select>
        </label>
        {range === "own" ? (
          <>
            <label>
              From
              <input
                type="datetime-local"
                step={1}
                value={own.from}
                onInput={it => setOwn({...own, from: it.currentTarget.value})}
              />
            </label>
            <label>
              To
              <input
                type="datetime-local"
                step={1}
                value={own.to}
                onInput={it => setOwn({...own, to: it.currentTarget.value})}
              />
            </label>
          </>
        ) : null}
        <label>
          In the text
          <input type="search" value={words} onInput={it => setWords(it.currentTarget.value)} />
        </label>
        <Button type="submit">Search</Button>
        <label class="check">
          <input
            type="checkbox"
            checked={filter.looks === "shown"}
            onChange={it => {
              const looks = it.currentTarget.checked ? "shown" : "hidden";
              setFilter(was => ({...was, looks}));
            }}
          />
          What this page looks at, too
        </label>
      </form>
      <div class="filters" aria-label="Filters" role="group">
        {chosen.map(([name, title]) => (
          <Chip key={name} name={`the filter on ${name}`} onRemove={() => choose(name, "")}>
            {title}: {filter[name]}
          </Chip>
        ))}
        {filter.text ? (
          <Chip
            name="the filter on text"
            onRemove={() => {
              setWords("");
              setFilter(was => ({...was, text: ""}));
            }}
          >
            Text: {filter.text}
          </Chip>
        ) : null}
        {chosen.length === 0 && !filter.text ? <span class="hint">Click a value to see only its lines.</span> : null}
      </div>
      <Trouble problem={first.problem ?? older.problem ?? csv.problem ?? lines.problem} />
      {first.problem ? null : (
        <div class="beside-panel">
          <Card title="Events, newest first">
            {first.isBusy && events.length === 0 ? <Skeleton lines={6} /> : null}
            {!first.isBusy && events.length === 0 ? (
              <EmptyState title="Nothing to show" text="No line of this time fits the filter." />
            ) : null}
            {events.length > 0 ? (
              <Paged key={key} items={events} name="line" rows={20}>
                {page => <Lines events={page} onChoose={choose} />}
              </Paged>
            ) : null}
            {next !== null ? (
              <Button isBusy={older.isBusy} onClick={older.run}>Load older lines</Button>
            ) : null}
            <p class="hint">A file has what this filter finds, {count(kMostExported)} lines at most.</p>
          </Card>
          <Groups filter={filter} onChoose={choose} />
        </div>
      )}
    </section>
  );
}
