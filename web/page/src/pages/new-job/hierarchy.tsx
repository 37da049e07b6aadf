// How the values of a quasi-identifier are generalized.
import {kHierarchies, kSteps, type Hierarchy, type HierarchyKind} from "../../job/form.js";
import {levelsOf, withCell, withLevel, withoutLevel} from "../../job/levels.js";
import {UploadField} from "./upload-field.js";

const kHierarchyNames: Record<HierarchyKind, string> = {
  intervals: "intervals of numbers",
  masking: "masking, from the right",
  dates: "steps of dates",
  table: "a table, edited here",
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

/** isMondrian: numbers are cut as numbers, so that intervals need no widths. */
export function HierarchyOf({column, hierarchy, isMondrian, edit}: {
  column: string; hierarchy: Hierarchy; isMondrian: boolean; edit: (hierarchy: Hierarchy) => void;
}) {
  const set = (change: Partial<Hierarchy>) => edit({...hierarchy, ...change});
  return (
    <>
      <label>
        Hierarchy of {column}
        <select
          value={hierarchy.kind}
          onChange={(it) => set({kind: it.currentTarget.value as HierarchyKind})}
        >
          {kHierarchies.map((it) => (
            <option key={it} value={it} disabled={it === "table" && hierarchy.rows.length === 0}>
              {kHierarchyNames[it]}
            </option>
          ))}
        </select>
      </label>
      {hierarchy.kind === "intervals" && isMondrian ? (
        <p class="hint">Mondrian finds the ends of the intervals itself.</p>
      ) : null}
      {hierarchy.kind === "intervals" && !isMondrian ? (
        <label>
          Widths of {column}
          <input value={hierarchy.widths} onInput={(it) => set({widths: it.currentTarget.value})} />
        </label>
      ) : null}
      {hierarchy.kind === "dates"
        ? kSteps.map((step) => (
            <label class="check" key={step}>
              <input
                type="checkbox"
                checked={hierarchy.steps.includes(step)}
                onChange={(it) =>
                  set({
                    steps: it.currentTarget.checked
                      ? [...hierarchy.steps, step]
                      : hierarchy.steps.filter((other) => other !== step),
                  })
                }
              />{" "}
              {step}
            </label>
          ))
        : null}
      {hierarchy.kind === "file" ? (
        <>
          <UploadField
            label={`Hierarchy file of ${column}`}
            onDone={(id, name) => set({upload: {id, name}})}
          />
          {hierarchy.upload ? (
            <p class="fine">{hierarchy.upload.name}</p>
          ) : (
            <p class="hint">
              The file has one record for each value: the value, then its levels, separated by semicolons.
            </p>
          )}
        </>
      ) : null}
      {hierarchy.kind === "table" ? (
        <LevelTable name={column} rows={hierarchy.rows} edit={(rows) => set({rows})} />
      ) : null}
    </>
  );
}
