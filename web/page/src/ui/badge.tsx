import type {ComponentChildren} from "preact";
import {Icon} from "./icon.js";

export type Tone = "good" | "warn" | "bad" | "info" | "neutral";

/** A state in a word or two: the colour only repeats it. */
export function Badge({tone = "neutral", children}: {tone?: Tone; children: ComponentChildren}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A thing that was chosen. onRemove: it can be taken out again; name says what, for the button's label. */
export function Chip({children, name, onRemove}: {
  children: ComponentChildren;
  name?: string;
  onRemove?: () => void;
}) {
  return (
    <span class="chip">
      {children}
      {onRemove ? (
        <button type="button" aria-label={name ? `Remove ${name}` : "Remove"} onClick={onRemove}>
          <Icon name="close" />
        </button>
      ) : null}
    </span>
  );
}
