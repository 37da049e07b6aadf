// One column: what is known of it, its class, its place in the order, and how exactly it is shown.
import {useState} from "preact/hooks";
import {factsOf} from "../../design.js";
import {kLanes, laneOf, shifted, withLevels, type Lane} from "../../policy-text/board.js";
import type {Level, PolicyForm} from "../../policy-text/form.js";
import {columnStatement, exampleOf, isSameLevel, levelName, levelsFor} from "../../policy-text/levels.js";
import type {ProposedColumn} from "../../protect/api.js";
import {Button, Dialog, Field} from "../../ui.js";
import {kLaneWords} from "./board.js";
import {CopyText} from "./copy-text.js";

function Example({level}: {level: Level}) {
  const example = exampleOf(level);
  if (!example) return null;
  return (
    <span class="level-example">
      {example[0]} → {example[1]}
    </span>
  );
}

function Levels({name, column, form, onChange}: {
  name: string;
  column: ProposedColumn | undefined;
  form: PolicyForm;
  onChange: (form: PolicyForm) => void;
}) {
  const support = levelsFor(column?.type ?? "text");
  const levels = form.columns.find(it => it.name === name)?.levels ?? [];
  const kept = levels.find(it => it.kind !== "other");
  const own = kept?.column ?? null;
  const [place, setPlace] = useState(own ?? (support.isInPlace ? "" : `${name}_coarse`));
  const [keepsExact, setKeepsExact] = useState(!support.isInPlace || own !== null);
  const others = levels.filter(it => it.kind === "other");
  const put = (next: Level[]) => onChange(withLevels(form, name, next));
  const target = (exact: boolean, text: string) => (exact && text !== "" ? text : null);
  const choose = (choice: Level | null) => {
    if (choice === null || choice.kind === "other") put(others);
    else put([{...choice, column: target(keepsExact, place)}, ...others]);
  };
  const change = (exact: boolean, text: string) => {
    setKeepsExact(exact);
    setPlace(text);
    put(levels.map(it => (it.kind === "other" ? it : {...it, column: target(exact, text)})));
  };
  const isKnown = kept === undefined || support.choices.some(it => isSameLevel(it, kept));
  return (
    <fieldset class="levels">
      <legend>How exactly is it shown?</legend>
      {support.reason ? <p class="hint">{support.reason}</p> : null}
      {support.choices.length > 0 ? (
        <div class="level-choices" role="radiogroup" aria-label="How exactly is it shown?">
          {[null, ...support.choices, ...(isKnown || !kept ? [] : [kept])].map((choice) => {
            const isChosen = choice === null || kept === undefined
              ? choice === null && kept === undefined
              : isSameLevel(choice, kept);
            const shown = choice && choice.kind !== "other"
              ? {...choice, column: target(keepsExact, place)} : choice;
            return (
              <button
                type="button"
                role="radio"
                key={choice === null ? "exact" : levelName(choice)}
                aria-checked={isChosen ? "true" : "false"}
                class="level-choice"
                onClick={() => choose(choice)}
              >
                <span>{choice === null ? "exact value" : levelName(choice)}</span>
                {shown ? <Example level={shown} /> : <span class="level-example">as it is</span>}
              </button>
            );
          })}
        </div>
      ) : null}
      {kept?.kind === "width" || (kept === undefined && support.choices[0]?.kind === "width") ? (
        <Field label="Another step">
          <input
            type="number"
            min={1}
            step={1}
            value={kept?.kind === "width" ? kept.width : ""}
            onChange={(it) => {
              const width = Number(it.currentTarget.value);
              if (Number.isInteger(width) && width > 0) choose({kind: "width", width, column: null});
            }}
          />
        </Field>
      ) : null}
      {kept && support.isInPlace ? (
        <label class="inline">
          <input
            type="checkbox"
            checked={keepsExact}
            onChange={it => change(it.currentTarget.checked, place || `${name}_coarse`)}
          />{" "}
          Show the exact value too, where enough people share it
        </label>
      ) : null}
      {kept && keepsExact ? (
        <>
          <Field
            label="Column that shows the coarser value"
            hint="An empty column of the table, which the owner adds once. It shows the coarser value."
          >
            <input value={place} onInput={it => change(true, it.currentTarget.value)} />
          </Field>
          {place ? <CopyText text={columnStatement(form.table, place)} label="the statement" /> : null}
        </>
      ) : null}
      {others.map(it => (
        <p key={levelName(it)}>
          <code>{levelName(it)}</code>{" "}
          <Button
            kind="quiet"
            icon="trash"
            label="Remove this level"
            onClick={() => put(levels.filter(of => of !== it))}
          />
        </p>
      ))}
      {column?.more ? <p class="hint">{column.more}</p> : null}
    </fieldset>
  );
}

export function ColumnDialog({name, column, form, onMove, onChange, onClose}: {
  name: string;
  column: ProposedColumn | undefined;
  form: PolicyForm;
  onMove: (lane: Lane) => void;
  onChange: (form: PolicyForm) => void;
  onClose: () => void;
}) {
  const lane = laneOf(form, name);
  const facts = column ? factsOf(column) : "";
  return (
    <Dialog title={name} onClose={onClose}>
      <p class="hint">{[column?.type ?? "not in the table", facts].filter(Boolean).join("; ")}</p>
      {column?.reason ? (
        <p class="note">
          Proposed: <strong>{(column.class ?? "identifier").replaceAll("_", "-")}</strong> ({column.reason}).
        </p>
      ) : null}
      <fieldset class="lane-choices">
        <legend>What is it?</legend>
        {kLanes.map(it => (
          <label key={it} class={it === lane ? "chosen" : ""}>
            <input type="radio" name="lane" checked={it === lane} onChange={() => onMove(it)} />
            <span>
              <strong>{kLaneWords[it].title}</strong> <span class="soft">{kLaneWords[it].plain}</span>
              <span class="hint">{kLaneWords[it].text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {lane === "first" ? (
        <p class="actions">
          Place {form.priority.indexOf(name) + 1} of {form.priority.length}
          <Button icon="up" label="Earlier" onClick={() => onChange(shifted(form, name, -1))} />
          <Button icon="down" label="Later" onClick={() => onChange(shifted(form, name, 1))} />
        </p>
      ) : null}
      {lane === "first" || lane === "quasi" ? (
        <Levels name={name} column={column} form={form} onChange={onChange} />
      ) : null}
      <p class="actions">
        <Button kind="primary" onClick={onClose}>Done</Button>
      </p>
    </Dialog>
  );
}
