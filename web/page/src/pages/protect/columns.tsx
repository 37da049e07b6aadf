// The first step: what each column is, and what counts as one person.
import {gaps, laneOf} from "../../policy-text/board.js";
import type {PolicyForm} from "../../policy-text/form.js";
import {formOf, withFormOf} from "../../protect/flow.js";
import {count} from "../../ui/format.js";
import {Board} from "./board.js";
import type {StepProps} from "./flow.js";

export function ColumnsStep({flow, change}: StepProps) {
  const form = formOf(flow);
  if (!form) return null;
  const put = (next: PolicyForm) => change(was => withFormOf(was, next));
  return (
    <>
      <h2 tabIndex={-1}>What could somebody recognize a person by?</h2>
      <p class="lead">
        Drag each column to what it is. pgveil proposes; you know what others may know about these people.
      </p>
      {flow.columns.why_not ? (
        <p class="note warn">No policy was proposed: {flow.columns.why_not}.</p>
      ) : null}
      <div class="note">
        <ul>
          <li>{sourceWords(flow.columns.sampled)}</li>
          {flow.columns.draft?.findings.map(it => <li key={it}>{it}</li>)}
        </ul>
      </div>
      <UnitChoice
        form={form}
        names={flow.columns.columns.map(it => it.name)}
        reason={flow.columns.draft?.unit_reason ?? null}
        onChoose={unit => put({...form, unit})}
      />
      {gaps(form).map(it => <p class="note warn" key={it}>{it}</p>)}
      <Board form={form} columns={flow.columns.columns} put={put} />
    </>
  );
}

/** What counts as one person. */
function UnitChoice({form, names, reason, onChoose}: {
  form: PolicyForm;
  names: readonly string[];
  /** Why the draft proposes its unit; null: it has none. */
  reason: string | null;
  onChoose: (unit: string | null) => void;
}) {
  const hidden = names.filter(it => laneOf(form, it) === "identifier");
  const choices = form.unit === null || hidden.includes(form.unit) ? hidden : [form.unit, ...hidden];
  return (
    <label class="inline">
      One person is
      <select value={form.unit ?? ""} onChange={it => onChoose(it.currentTarget.value || null)}>
        <option value="">each row</option>
        {choices.map(it => <option key={it} value={it}>all rows with the same {it}</option>)}
      </select>
      {reason && form.unit !== null ? <span class="hint">{reason}</span> : null}
    </label>
  );
}

function sourceWords(sampled: number): string {
  const rows = sampled > 0 ? `, and a sample of ${count(sampled)} rows` : "";
  return `The proposals come from names, types, keys and statistics${rows}. They are heuristics: review each.`;
}
