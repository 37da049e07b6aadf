// The table that was brought, as it was read: its separator, its first records, and how many are unique.
import {useMemo} from "preact/hooks";
import {uniqueShare} from "../../job/estimate.js";
import type {Attribute} from "../../job/form.js";
import {kSeparatorNames, kSeparators, type Separator} from "../../job/separated.js";
import {count, percent} from "../../ui/format.js";

const kShownRecords = 5;

export function Preview({samples, separator, onSeparator}: {
  samples: string[][];
  separator: Separator;
  onSeparator: (separator: Separator) => void;
}) {
  const [header = [], ...rows] = samples;
  return (
    <>
      <div class="row">
        <label>
          Separator
          <select value={separator} onChange={it => onSeparator(it.currentTarget.value as Separator)}>
            {kSeparators.map(it => (
              <option key={it} value={it}>
                {kSeparatorNames[it]}
              </option>
            ))}
          </select>
        </label>
        <p class="hint">It was found in the file. Change it if the columns below look wrong.</p>
      </div>
      {header.length === 1 ? (
        <p class="warning" role="alert">
          The table has only one column. Choose another separator, unless this is what you expect.
        </p>
      ) : null}
      <div class="scroll" tabIndex={0} role="region" aria-label="First records">
        <table class="preview">
          <caption>First records</caption>
          <thead>
            <tr>
              {header.map((name, at) => (
                <th scope="col" key={at}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, kShownRecords).map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={column}>{cell === "" ? <span class="null">empty</span> : cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Live: it follows the classes that are chosen. */
export function UniqueRecords({samples, attributes}: {samples: string[][]; attributes: Attribute[]}) {
  const chosen = attributes.filter(it => it.class === "quasi_identifier").map(it => it.name);
  const share = useMemo(() => uniqueShare(samples, chosen), [samples, chosen.join("\n")]);
  if (share === null) return null;
  return (
    <p role="status" class="hint">
      Before anything is generalized, {percent(share)} of the first {count(samples.length - 1)} records are
      unique in these quasi-identifiers ({chosen.join(", ")}).
    </p>
  );
}
