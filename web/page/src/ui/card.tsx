import type {ComponentChildren} from "preact";
import {useId} from "preact/hooks";

/** A part of a page with a border of its own. Cards stand side by side in a div of class "cards". */
export function Card({title, actions, children, tone}: {
  title?: ComponentChildren;
  actions?: ComponentChildren;
  children?: ComponentChildren;
  /** "flush": the body has no padding, for a table that fills the card. */
  tone?: "flush";
}) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={title ? id : undefined}>
      {title || actions ? (
        <header>
          {title ? <h2 id={id}>{title}</h2> : <span />}
          {actions ? <div class="actions">{actions}</div> : null}
        </header>
      ) : null}
      <div class={tone === "flush" ? "card-flush" : "card-body"}>{children}</div>
    </section>
  );
}
