// What the last check of a policy's version against its table found, and when.
import {Badge, Instant} from "../ui.js";
import {hasDrifted, type Health} from "./health.js";

export function Drift({checkedAt, finding, isAdmin = true}: Pick<Health, "checkedAt" | "finding"> & {
  isAdmin?: boolean;
}) {
  if (checkedAt === null) return <span class="sub">not checked yet</span>;
  const isDrift = hasDrifted(finding);
  return (
    <>
      {isAdmin && finding !== null
        ? <Badge tone={isDrift ? "warn" : "good"}>{isDrift ? "drift" : "fits the table"}</Badge>
        : null}
      {isDrift ? <div class="sub">{finding}</div> : null}
      <div class="sub">checked <Instant at={checkedAt} /></div>
    </>
  );
}
