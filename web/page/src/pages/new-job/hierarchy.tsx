// How the values of a quasi-identifier are generalized: the choice, which fits into a row, and what needs
// more room below it.
import {isRefusedHierarchy, kSteps, type FixedLevel} from "../../job/differential-privacy.js";
import {kHierarchies, type Generalization, type Hierarchy, type HierarchyKind} from "../../job/form.js";
import {levelsOf, withCell, withLevel, withoutLevel} from "../../job/levels.js";
import {sniffedSeparator} from "../../job/separated.js";
import {Choice} from "./fields.js";
import {UploadField} from "./upload-field.js";

const kHierarchyNames: Record<HierarchyKind, string> = {
  intervals: "intervals of numbers",
  masking: "masked from the right",
  hide: "whole value or nothing",
  dates: "steps of dates",
  table: "levels, edited here",
  file: "a file",
};

function LevelTable({name, rows, edit}: {name: string; rows: string[][]; edit: (rows: string[][]) => void}) {
  const levels = levelsOf(rows);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Levels of ${name}`}>
      <table class="levels">
        <caption>Levels of {name}: what each value becomes, step by step</caption>
        <thead>
          <tr>
            <th scope="col">value</th>
            {Array.from({length: levels}, (_, at) => (
              <th scope="col" key={at}>
                level {at + 1}{" "}
                {levels > 1 ? (
                  <button
                    type="button"
                    aria-label={`Remove level ${at + 1} of ${name}`}
                    onClick={() => edit(withoutLevel(rows, at + 1))}
                  >
                    ×
                  </button>
                ) : null}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              <th scope="row">{row[0] === "" ? <span class="null">empty</span> : row[0]}</th>
              {row.slice(1).map((cell, level) => (
                <td key={level}>
                  <input
                    aria-label={`${row[0] || "empty"} at level ${level + 1}`}
                    value={cell}
                    onChange={(it) => edit(withCell(rows, at, level + 1, it.currentTarget.value))}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" onClick={() => edit(withLevel(rows))}>
        Add a level to {name}
      </button>
    </div>
  );
}

interface Props {
  column: string;
  hierarchy: Hierarchy;
  generalization: Generalization;
  edit: (hierarchy: Hierarchy) => void;
}

function Dates({column, hierarchy, edit}: Props) {
  const turn = (step: string, isOn: boolean) =>
    edit({
      ...hierarchy,
      steps: isOn ? [...hierarchy.steps, step] : hierarchy.steps.filter(other => other !== step),
    });
  return (
    <div class="row" role="group" aria-label={`Steps of ${column}`}>
      {kSteps.map((step) => (
        <label class="check" key={step}>
          <input
            type="checkbox"
            checked={hierarchy.steps.includes(step)}
            onChange={(it) => turn(step, it.currentTarget.checked)}
          />{" "}
          {step}
        </label>
      ))}
    </div>
  );
}

function File({column, hierarchy, edit}: Props) {
  const field = (
    <UploadField
      label={`Hierarchy file of ${column}`}
      onDone={({id, name, head, isCut}) =>
        edit({...hierarchy, upload: {id, name, separator: sniffedSeparator(head, isCut)}})
      }
    />
  );
  return hierarchy.upload ? (
    <>
      <span class="fine">{hierarchy.upload.name}</span>
      <details>
        <summary>Choose another file</summary>
        {field}
      </details>
    </>
  ) : (
    <>
      {field}
      <p class="hint">One line for each value: the value, then its levels.</p>
    </>
  );
}

/** The one level that each record is shown at. */
function FixedLevelOf({column, hierarchy, edit}: Omit<Props, "generalization">) {
  const {fixed, kind} = hierarchy;
  const set = (change: Partial<FixedLevel>) => edit({...hierarchy, fixed: {...fixed, ...change}});
  switch (kind) {
    case "intervals":
      return (
        <label>
          <span>
            Width<span class="hidden"> of {column}</span>
          </span>
          <input
            class="short"
            inputMode="decimal"
            value={fixed.width}
            onInput={(it) => set({width: it.currentTarget.value.trim()})}
          />
        </label>
      );
    case "dates":
      return (
        <Choice label={`Step of ${column}`} value={fixed.step} values={kSteps} onChange={(step) => set({step})} />
      );
    case "file":
      return (
        <label>
          <span>
            Level<span class="hidden"> of {column}</span>: 0 shows the values as they are
          </span>
          <input
            class="short"
            type="number"
            required
            min={0}
            max={127}
            value={fixed.level}
            onInput={(it) => set({level: it.currentTarget.valueAsNumber})}
          />
        </label>
      );
    case "table":
      return null;
    case "masking":
    case "hide":
      return <span class="hint">Masking depends on the longest value of the table. Choose another kind.</span>;
  }
}

function kindName(kind: HierarchyKind, generalization: Generalization): string {
  return kind === "table" && generalization === "fixed" ? "the values as they are" : kHierarchyNames[kind];
}

/** What is asked of levels that a search may choose from. Groups show ranges of numbers, so that their intervals
 * need no widths. */
function SearchedLevelsOf(props: Props) {
  const {column, hierarchy, generalization, edit} = props;
  const makesGroups = generalization === "grouped";
  const set = (change: Partial<Hierarchy>) => edit({...hierarchy, ...change});
  switch (hierarchy.kind) {
    case "intervals":
      return makesGroups ? (
        <span class="hint">The groups have ends of their own.</span>
      ) : (
        <input
          class="widths"
          aria-label={`Widths of ${column}`}
          title="Widths of the intervals, from narrow to wide; each is a multiple of the one before"
          value={hierarchy.widths}
          onInput={(it) => set({widths: it.currentTarget.value})}
        />
      );
    case "dates":
      return <Dates {...props} />;
    case "masking":
    case "hide":
    case "table":
    case "file":
      return null;
  }
}

export function HierarchyOf(props: Props) {
  const {column, hierarchy, generalization, edit} = props;
  const isFixed = generalization === "fixed";
  const isDisabled = (kind: HierarchyKind) =>
    (kind === "table" && hierarchy.rows.length === 0) || (isFixed && isRefusedHierarchy(kind));
  return (
    <div class="row">
      <select
        aria-label={`Hierarchy of ${column}`}
        value={hierarchy.kind}
        onChange={(it) => edit({...hierarchy, kind: it.currentTarget.value as HierarchyKind})}
      >
        {kHierarchies.map((it) => (
          <option key={it} value={it} disabled={isDisabled(it)}>
            {kindName(it, generalization)}
          </option>
        ))}
      </select>
      {isFixed ? <FixedLevelOf {...props} /> : <SearchedLevelsOf {...props} />}
      {hierarchy.kind === "file" ? <File {...props} /> : null}
    </div>
  );
}

/** Only of a table of levels; it stays closed until somebody wants it. */
export function LevelsOf({column, hierarchy, edit}: Omit<Props, "generalization">) {
  if (hierarchy.kind !== "table") return null;
  const {rows} = hierarchy;
  const levels = levelsOf(rows);
  return (
    <details>
      <summary>
        Edit the levels of {column} ({rows.length} values, {levels === 1 ? "one level" : `${levels} levels`})
      </summary>
      <LevelTable name={column} rows={rows} edit={(next) => edit({...hierarchy, rows: next})} />
    </details>
  );
}
