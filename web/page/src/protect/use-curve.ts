// Asks for the curve of a policy, one k after the other, as long as somebody looks at it.
import {useEffect, useRef, useState} from "preact/hooks";
import {ApiError, type Problem} from "../api.js";
import {problemFrom} from "../ui.js";
import {protectApi, type CurvePoint} from "./api.js";
import {nextK} from "./curve.js";
import type {KnownCurve} from "./flow.js";

const kRestMs = 350;
const kReplaced = "57014";

export interface CurveState {
  points: ReadonlyMap<number, CurvePoint>;
  isBusy: boolean;
  problem: Problem | null;
  again: () => void;
}

const kNoPoints: ReadonlyMap<number, CurvePoint> = new Map();

export interface CurveQuestion {
  /** What the answers depend on, apart from k. */
  key: string;
  text: string;
  policy: string;
  /** Asked for first. */
  k: number;
  /** False: nothing is asked, for example because the text has a mistake. */
  isReady: boolean;
}

/** keep: is given all that is known whenever there is more. */
export function useCurve(
  question: CurveQuestion,
  known: KnownCurve,
  keep: (known: KnownCurve) => void,
): CurveState {
  const {key, k, isReady} = question;
  const [state, setState] = useState<{isBusy: boolean; problem: Problem | null}>({
    isBusy: false,
    problem: null,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef({question, known, keep});
  latest.current = {question, known, keep};
  useEffect(() => {
    if (!isReady) return;
    const abort = new AbortController();
    const ask = async () => {
      const {text, policy} = latest.current.question;
      const before = latest.current.known;
      let points = before.key === key ? before.points : kNoPoints;
      for (;;) {
        const next = nextK(new Set(points.keys()), k);
        if (next === null || abort.signal.aborted) break;
        setState({isBusy: true, problem: null});
        const answer = await protectApi.curve(text, policy, [next], abort.signal);
        if (abort.signal.aborted) return;
        points = new Map([...points, ...answer.points.map((it): [number, CurvePoint] => [it.k, it])]);
        if (!points.has(next)) break;
        latest.current.keep({key, points});
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
    points: known.key === key ? known.points : kNoPoints,
    ...state,
    again: () => setTurn(it => it + 1),
  };
}
