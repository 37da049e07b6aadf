import {linkTo} from "../route.js";
import {share} from "../table.js";
import {Badge, Bar, ButtonLink, Card, EmptyState, Instant, percent, Skeleton} from "../ui.js";
import {Drift} from "./drift.js";
import type {Health} from "./health.js";

const kFirst = 12;
export const kStateWords: Record<Health["state"], string> =
  {open: "open", closed: "closed", unbuilt: "not built", building: "building"};

function Disclosed({text}: {text: string | null}) {
  const part = share(text);
  if (part === null) return <>–</>;
  return (
    <span class="measure">
      <Bar part={part} whole={1} label={`${percent(part)} disclosed`} /> {percent(part)}
    </span>
  );
}

export function PolicyHealth({policies, isAdmin, isBusy}: {
  policies: Health[];
  isAdmin: boolean;
  isBusy: boolean;
}) {
  const shown = policies.slice(0, kFirst);
  return (
    <Card title="Policies" actions={<a href="#/policies">All policies</a>}>
      {isBusy ? <Skeleton lines={5} /> : policies.length === 0 ? (
        <EmptyState
          icon="shield"
          title="There is no policy yet"
          text="A policy says which columns of a table identify a person, and how large a group has to be."
          action={isAdmin ? <ButtonLink kind="primary" href="#/protect">Protect a table</ButtonLink> : null}
        />
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Health of the policies">
          <table class="full">
            <caption class="hidden">Health of the policies</caption>
            <thead>
              <tr>
                <th scope="col">Policy</th>
                <th scope="col">State</th>
                <th scope="col">Built</th>
                <th scope="col">Disclosed cells</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(it => (
                <tr key={it.policy}>
                  <th scope="row">
                    {isAdmin ? <a href={linkTo(it.policy)}>{it.policy}</a> : it.policy}
                    <div class="hint">{it.table}, <span class="measure">k = {it.k}</span></div>
                  </th>
                  <td>
                    <Badge tone={it.tone}>{kStateWords[it.state]}</Badge>
                    {it.reason && it.state !== "unbuilt" ? <div class="hint">{it.reason}</div> : null}
                    {it.state === "open" ? <div class="hint"><Drift {...it} isAdmin={isAdmin} /></div> : null}
                    {it.failedAt ? <div class="hint">build failed <Instant at={it.failedAt} /></div> : null}
                  </td>
                  <td><Instant at={it.builtAt} /></td>
                  <td><Disclosed text={it.disclosed} /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {policies.length > shown.length
        ? <p class="hint">The other {policies.length - shown.length} are on the page of the policies.</p>
        : null}
    </Card>
  );
}
