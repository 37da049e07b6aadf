import type {ComponentChildren} from "preact";
import type {Tone} from "./badge.js";

/** One number that matters. trend: a Sparkline, or a word on how it changes. */
export function Stat({label, value, unit, hint, trend, tone = "neutral"}: {
  label: string;
  value: ComponentChildren;
  unit?: string;
  hint?: ComponentChildren;
  trend?: ComponentChildren;
  tone?: Tone;
}) {
  return (
    <div class={`stat ${tone}`}>
      <dt>{label}</dt>
      <dd>
        <span class="value">
          {value}
          {unit ? <span class="unit"> {unit}</span> : null}
        </span>
        {trend ? <span class="trend"> {trend}</span> : null}
        {hint ? <div class="hint">{hint}</div> : null}
      </dd>
    </div>
  );
}

/** Stats side by side. */
export function Stats({children}: {children: ComponentChildren}) {
  return <dl class="stats">{children}</dl>;
}
