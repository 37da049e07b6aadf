import {cloneElement, type ComponentChildren, type VNode} from "preact";
import {useId} from "preact/hooks";

/** A control with its label, a hint on it, and what is wrong with its value. children: one control. */
export function Field({label, hint, error, children}: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: ComponentChildren;
  children: VNode<Record<string, unknown>>;
}) {
  const id = useId();
  const told = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, {
        id,
        ...(told ? {"aria-describedby": told} : {}),
        ...(error ? {"aria-invalid": "true"} : {}),
      })}
      {hint ? <p class="hint" id={`${id}-hint`}>{hint}</p> : null}
      {error ? <p class="error" id={`${id}-error`}>{error}</p> : null}
    </div>
  );
}
