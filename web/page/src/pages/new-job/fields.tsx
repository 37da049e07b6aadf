// Fields that parts of the form have in common.
import {useId} from "preact/hooks";

const plainWords = (value: string) => value.replaceAll("_", " ");

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
  hint?: string;
  onChange: (value: T) => void;
}) {
  const id = useId();
  return (
    <div class={hint ? "explained" : ""}>
      <label>
        {label}
        <select
          value={value}
          aria-describedby={hint ? id : undefined}
          onChange={(it) => onChange(it.currentTarget.value as T)}
        >
          {values.map((it) => (
            <option key={it} value={it}>
              {nameOf(it)}
            </option>
          ))}
        </select>
      </label>
      {hint ? (
        <p class="hint" id={id}>
          {hint}
        </p>
      ) : null}
    </div>
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
  const id = useId();
  return (
    <div class={hint ? "explained" : ""}>
      <label>
        {label}
        <input
          type="number"
          required
          min={min}
          max={max}
          step={step ?? 1}
          value={value}
          aria-describedby={hint ? id : undefined}
          onInput={(it) => onChange(Number(it.currentTarget.value))}
        />
      </label>
      {hint ? (
        <p class="hint" id={id}>
          {hint}
        </p>
      ) : null}
    </div>
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
