// What the proxy does now, by server-sent events. Each event is one table, sent when it has changed.
import {useEffect, useState} from "preact/hooks";
import {api, type Table} from "./api.js";

export type Tables = Record<string, Table>;

const kTopics = ["pools", "clients", "stats", "refusals", "jobs", "databases"] as const;

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

export function useLive(isOn: boolean): {tables: Tables; isConnected: boolean} {
  const [tables, setTables] = useState<Tables>({});
  const [isConnected, setConnected] = useState(false);
  useEffect(() => {
    if (!isOn) return;
    const source = new EventSource("/api/v1/events");
    source.onopen = () => setConnected(true);
    source.onerror = () => {
      setConnected(false);
      // Refused, not only cut off: most likely the session has ended, which any answer tells.
      if (source.readyState === EventSource.CLOSED) api.show("version").catch(() => {});
    };
    for (const topic of kTopics) {
      source.addEventListener(topic, event => {
        const table = tableOf((event as MessageEvent<string>).data);
        if (table) setTables(was => ({...was, [topic]: table}));
      });
    }
    return () => {
      source.close();
      setConnected(false);
    };
  }, [isOn]);
  return {tables, isConnected};
}
