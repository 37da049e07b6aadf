// Fields that parts of the form have in common.
import type {ComponentChildren} from "preact";
import {useId} from "preact/hooks";

const plainWords = (value: string) => value.replaceAll("_", " ");

/** hint: one line on what the input means. children: the input, which the text with this id describes. */
export function Explained({label, hint, children}: {
  label: string;
  hint: string | undefined;
  children: (describedBy: string | undefined) => ComponentChildren;
}) {
  const id = useId();
  return (
    <div class={hint ? "explained" : ""}>
      <label>
        {label}
        {children(hint ? id : undefined)}
      </label>
      {hint ? (
        <p class="hint" id={id}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}

/** hint: one line on what the choice means. */
export function Choice<T extends string>({
  label,
  value,
  values,
  nameOf = plainWords,
  hint,
  onChange,
}: {
  label: string;
  value: T;
  values: readonly T[];
  nameOf?: (value: T) => string;
  hint?: string | undefined;
  onChange: (value: T) => void;
}) {
  return (
    <Explained label={label} hint={hint}>
      {describedBy => (
        <select
          value={value}
          aria-describedby={describedBy}
          onChange={(it) => onChange(it.currentTarget.value as T)}
        >
          {values.map(it => <option key={it} value={it}>{nameOf(it)}</option>)}
        </select>
      )}
    </Explained>
  );
}

/** A number that may be left empty, as it is typed. */
export function Threshold({label, value, isWhole, hint, onInput}: {
  label: string; value: string; isWhole?: boolean; hint?: string; onInput: (text: string) => void;
}) {
  return (
    <Explained label={label} hint={hint}>
      {describedBy => (
        <input
          inputMode={isWhole ? "numeric" : "decimal"}
          value={value}
          aria-describedby={describedBy}
          onInput={(it) => onInput(it.currentTarget.value.trim())}
        />
      )}
    </Explained>
  );
}

export function Amount({
  label,
  value,
  min,
  max,
  step,
  hint,
  onChange,
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  step?: number;
  hint?: string;
  onChange: (value: number) => void;
}) {
  return (
    <Explained label={label} hint={hint}>
      {describedBy => (
        <input
          type="number"
          required
          min={min}
          max={max}
          step={step ?? 1}
          value={value}
          aria-describedby={describedBy}
          onInput={(it) => onChange(Number(it.currentTarget.value))}
        />
      )}
    </Explained>
  );
}

/** onEnter: in place of sending the form that it is in. */
export function Password({label, value, isRequired, onInput, onEnter}: {
  label: string; value: string; isRequired: boolean; onInput: (value: string) => void; onEnter?: () => void;
}) {
  return (
    <label>
      {label}
      <input
        type="password"
        autocomplete="current-password"
        required={isRequired}
        value={value}
        onInput={(it) => onInput(it.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !onEnter) return;
          event.preventDefault();
          onEnter();
        }}
      />
    </label>
  );
}
