// What the proxy does now, by server-sent events. Each event is one table, sent when it has changed. All
// parts of the page share one stream, which is open while somebody looks at it and the window can be seen.
import {useEffect, useState} from "preact/hooks";
import {api, type Table} from "./api.js";

export type Tables = Record<string, Table>;

const kTopics = ["pools", "clients", "stats", "refusals", "jobs", "databases"] as const;
const kHiddenSeconds = 60;

export function tableOf(data: string): Table | null {
  try {
    const parsed: unknown = JSON.parse(data);
    if (typeof parsed !== "object" || parsed === null) return null;
    const table = parsed as Partial<Table>;
    return Array.isArray(table.columns) && Array.isArray(table.rows)
      ? {columns: table.columns, rows: table.rows, notices: table.notices ?? []}
      : null;
  } catch {
    return null;
  }
}

export interface Live {
  tables: Tables;
  isConnected: boolean;
}

const kNothing: Live = {tables: {}, isConnected: false};

let now: Live = kNothing;
let source: EventSource | null = null;
const lookers = new Set<(live: Live) => void>();

function change(next: Live): void {
  now = next;
  for (const looker of lookers) looker(now);
}

function start(): void {
  if (source || lookers.size === 0) return;
  const own = new EventSource("/api/v1/events");
  source = own;
  own.onopen = () => change({...now, isConnected: true});
  own.onerror = () => {
    change({...now, isConnected: false});
    if (own.readyState !== EventSource.CLOSED) return;
    // Refused, not only cut off: most likely the session has ended, which any answer tells.
    stop();
    api.show("version").then(() => setTimeout(start, 5000), () => {});
  };
  for (const topic of kTopics) {
    own.addEventListener(topic, event => {
      const table = tableOf((event as MessageEvent<string>).data);
      if (table) change({tables: {...now.tables, [topic]: table}, isConnected: true});
    });
  }
}

function stop(): void {
  source?.close();
  source = null;
  change({...now, isConnected: false});
}

/** Somebody else may see other tables. */
export function forgetLive(): void {
  stop();
  now = kNothing;
}

/** The stream is opened again: after a session has ended and begun anew. */
export const resumeLive = start;

let hiding: ReturnType<typeof setTimeout> | undefined;

/** A window that is not looked at for a while gives its stream back, for there are few. */
function follow(isHidden: boolean): void {
  clearTimeout(hiding);
  if (isHidden) hiding = setTimeout(stop, 1000 * kHiddenSeconds);
  else start();
}

if (typeof document !== "undefined")
  document.addEventListener("visibilitychange", () => follow(document.hidden));

/** The function that is returned ends it. */
export function lookLive(looker: (live: Live) => void): () => void {
  lookers.add(looker);
  start();
  return () => {
    lookers.delete(looker);
    if (lookers.size === 0) stop();
  };
}

/** While it is off, what was there last stays. */
export function useLive(isOn: boolean): Live {
  const [live, setLive] = useState<Live>(now);
  useEffect(() => {
    if (!isOn) {
      setLive(was => ({...was, isConnected: false}));
      return;
    }
    setLive(now);
    return lookLive(setLive);
  }, [isOn]);
  return live;
}
