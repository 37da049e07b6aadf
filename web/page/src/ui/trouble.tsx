import type {ComponentChildren} from "preact";
import type {Problem} from "../api.js";

/** children: what can be done about it. */
export function Trouble({problem, children}: {problem: Problem | null; children?: ComponentChildren}) {
  if (!problem) return null;
  return (
    <p class="trouble" role="alert">
      <strong>{problem.message}</strong>
      {problem.sqlstate ? <code> {problem.sqlstate}</code> : null}
      {problem.hint ? <span class="hint">{problem.hint}</span> : null}
      {children}
    </p>
  );
}

export function Waiting({isBusy}: {isBusy: boolean}) {
  return isBusy ? <p class="waiting" role="status">loading …</p> : null;
}
