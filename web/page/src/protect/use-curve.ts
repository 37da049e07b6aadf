// Asks for the curve of a policy, one k after the other, as long as somebody looks at it.
import {useEffect, useRef, useState} from "preact/hooks";
import {ApiError, type Problem} from "../api.js";
import {problemFrom} from "../ui.js";
import {protectApi, type CurvePoint} from "./api.js";
import {nextK} from "./curve.js";
import {curveKey, type Flow} from "./flow.js";

const kRestMs = 350;
const kReplaced = "57014";

export interface CurveState {
  points: ReadonlyMap<number, CurvePoint>;
  isBusy: boolean;
  problem: Problem | null;
  again: () => void;
}

const kNoPoints: ReadonlyMap<number, CurvePoint> = new Map();

/** isReady: the text has no mistake that is known. */
export function useCurve(
  flow: Flow,
  change: (how: (flow: Flow) => Flow) => void,
  k: number,
  isReady: boolean,
): CurveState {
  const key = curveKey(flow);
  const [state, setState] = useState<{isBusy: boolean; problem: Problem | null}>({
    isBusy: false,
    problem: null,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(flow);
  latest.current = flow;
  useEffect(() => {
    if (!isReady) return;
    const abort = new AbortController();
    const ask = async () => {
      const {curve, text, policy} = latest.current;
      let points = curve.key === key ? curve.points : kNoPoints;
      for (;;) {
        const next = nextK(new Set(points.keys()), k);
        if (next === null || abort.signal.aborted) break;
        setState({isBusy: true, problem: null});
        const answer = await protectApi.curve(text, policy, [next], abort.signal);
        if (abort.signal.aborted) return;
        points = new Map([...points, ...answer.points.map((it): [number, CurvePoint] => [it.k, it])]);
        if (!points.has(next)) break;
        const now = points;
        change(was => (curveKey(was) === key ? {...was, curve: {key, points: now}} : was));
      }
      if (!abort.signal.aborted) setState({isBusy: false, problem: null});
    };
    const timer = setTimeout(() => {
      ask().catch((thrown: unknown) => {
        if (abort.signal.aborted) return;
        const isReplaced = thrown instanceof ApiError && thrown.problem.sqlstate === kReplaced;
        setState({isBusy: false, problem: isReplaced ? null : problemFrom(thrown)});
      });
    }, kRestMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, k, isReady, turn]);
  return {
    points: flow.curve.key === key ? flow.curve.points : kNoPoints,
    ...state,
    again: () => setTurn(it => it + 1),
  };
}
