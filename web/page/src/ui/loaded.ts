import {useCallback, useEffect, useRef, useState} from "preact/hooks";
import type {Problem} from "../api.js";
import {reachNow, whenReachChanges} from "../reach.js";
import {problemFrom} from "./problem.js";

export interface Loaded<T> {
  value: T | null;
  problem: Problem | null;
  isBusy: boolean;
  again: () => void;
}

/** Loads when the key changes; the answer to an older key is dropped. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{key: string; value: T | null; problem: Problem | null}>(
    {key: "", value: null, problem: null});
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    let isCurrent = true;
    latest.current().then(
      value => isCurrent && setState({key, value, problem: null}),
      (thrown: unknown) => isCurrent && setState({key, value: null, problem: problemFrom(thrown)}));
    return () => {
      isCurrent = false;
    };
  }, [key, turn]);
  const again = useCallback(() => setTurn(it => it + 1), []);
  // What could not be had because pgveil was away is had when it is back.
  const isUnreached = state.problem?.status === 0;
  useEffect(() => {
    if (!isUnreached) return;
    // It may be back already: this runs after the page is painted.
    if (reachNow() === "fine") again();
    return whenReachChanges(reach => reach === "fine" && again());
  }, [isUnreached]);
  const isFresh = state.key === key;
  return {
    value: isFresh ? state.value : null,
    problem: isFresh ? state.problem : null,
    isBusy: !isFresh,
    again,
  };
}

export interface Action {
  run: () => void;
  isBusy: boolean;
  problem: Problem | null;
}

export function useAction(work: () => Promise<void>): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = () => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    work()
      .catch((thrown: unknown) => setProblem(problemFrom(thrown)))
      .finally(() => setBusy(false));
  };
  return {run, isBusy, problem};
}
