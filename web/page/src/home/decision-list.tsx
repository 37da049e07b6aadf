import {Badge, Button, ButtonLink, Card, count, EmptyState} from "../ui.js";
import type {Decision} from "./decisions.js";

const kFirst = 6;

export function DecisionList({decisions, isAdmin, areAllShown, onShowAll, failed}: {
  decisions: Decision[];
  isAdmin: boolean;
  areAllShown: boolean;
  onShowAll: () => void;
  /** Databases whose tables could not be listed. */
  failed: string[];
}) {
  const shown = areAllShown ? decisions : decisions.slice(0, kFirst);
  return (
    <Card title="What wants a decision">
      {decisions.length === 0 ? (
        <EmptyState
          icon="check"
          title="Nothing wants a decision"
          text={`All policies are open, and no build has failed.${failed.length === 0
            ? ""
            : ` The tables of ${failed.join(", ")} could not be listed.`}`}
        />
      ) : (
        <ul class="decisions">
          {shown.map(it => (
            <li key={it.key}>
              <Badge tone={it.tone}>{it.what}</Badge>
              <div>
                <h3>{it.title}</h3>
                <p>{it.text}</p>
              </div>
              {isAdmin ? <ButtonLink href={it.link}>{it.linkText}</ButtonLink> : null}
            </li>
          ))}
        </ul>
      )}
      {shown.length < decisions.length ? (
        <Button onClick={onShowAll}>{`Show all ${count(decisions.length)}`}</Button>
      ) : null}
      {failed.length > 0 && decisions.length > 0 ? (
        <p class="hint">The tables of {failed.join(", ")} could not be listed.</p>
      ) : null}
    </Card>
  );
}
