// Builds that are running now, by server-sent events.
import {useEffect, useState} from "preact/hooks";

export interface RunningBuild {
  policy: string;
  stage: string;
  done: number;
  share: number | null;
  seconds_left: number | null;
}

export function buildsOf(data: string): RunningBuild[] {
  try {
    const parsed: unknown = JSON.parse(data);
    return Array.isArray(parsed)
      ? parsed.filter((it): it is RunningBuild => typeof it === "object" && it !== null && "policy" in it)
      : [];
  } catch {
    return [];
  }
}

export function useBuilds(isOn: boolean): RunningBuild[] {
  const [builds, setBuilds] = useState<RunningBuild[]>([]);
  useEffect(() => {
    if (!isOn) return;
    const source = new EventSource("/api/v1/events");
    source.addEventListener("builds", event => setBuilds(buildsOf((event as MessageEvent<string>).data)));
    return () => {
      source.close();
      setBuilds([]);
    };
  }, [isOn]);
  return builds;
}
