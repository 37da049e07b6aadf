// Whether pgveil answers: requests tell, the shell shows it.

/** lost: the last request did not reach it. slow: an answer has been awaited for long. */
export type Reach = "fine" | "slow" | "lost";

const kPatience = 8000;

let reach: Reach = "fine";
let isLost = false;
const late = new Set<number>();
let next = 0;
const listeners = new Set<(reach: Reach) => void>();

function tell(): void {
  const now: Reach = isLost ? "lost" : late.size > 0 ? "slow" : "fine";
  if (now === reach) return;
  reach = now;
  for (const listener of listeners) listener(now);
}

/**
 * A request has begun. isQuick: it should be answered soon. The function that is returned is called once,
 * when the request was answered, failed on its way, or was given up.
 */
export function began(isQuick: boolean): (end: "answered" | "lost" | "given up") => void {
  const id = next++;
  const timer = isQuick ? setTimeout(() => {
    late.add(id);
    tell();
  }, kPatience) : undefined;
  return end => {
    clearTimeout(timer);
    late.delete(id);
    if (end === "answered") isLost = false;
    if (end === "lost") isLost = true;
    tell();
  };
}

export const reachNow = (): Reach => reach;

/** The function that is returned ends it. */
export function whenReachChanges(listener: (reach: Reach) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
