import {ago, dateTime, kNone} from "./format.js";

/** A point in time that can be read; the exact one is in its title. Recent ones are told by their age. */
export function Instant({at, as = "ago"}: {at: string | null | undefined; as?: "ago" | "date"}) {
  if (!at) return <>{kNone}</>;
  const then = Date.parse(at);
  if (Number.isNaN(then)) return <>{at}</>;
  return (
    <time dateTime={at} title={at}>
      {as === "ago" ? ago(then, Date.now()) : dateTime(then)}
    </time>
  );
}
