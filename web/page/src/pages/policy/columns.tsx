// Per column: how much of it is shown, its values in the table beside those that readers see, and the parts
// of the tree that hide it.
import {useMemo, useState} from "preact/hooks";
import {api, type Distribution, type Version} from "../../api.js";
import {labelOf, type Part} from "../../icicle.js";
import {pairs} from "../../policy/distribution.js";
import {hiddenPlaces, shownValues, type Release} from "../../policy/release.js";
import {count, percent} from "../../ui/format.js";
import {Bar, Bars, Button, Card, Trouble, useAction} from "../../ui.js";

const kPlaces = 8;

function Values({policy, version, parts, release, column}: {
  policy: string;
  version: Version;
  parts: readonly Part[];
  release: Release;
  column: string;
}) {
  const [before, setBefore] = useState<Distribution | null>(null);
  const look = useAction(async () => setBefore(await api.distribution(policy, column)));
  const shown = useMemo(() => shownValues(parts, release, column), [parts, release, column]);
  const bars = pairs(before, shown, version.disclosure.rows);
  return (
    <Card
      title={`Values of ${column}`}
      actions={
        before ? null : (
          <Button isBusy={look.isBusy} onClick={look.run}>Compare with the table</Button>
        )
      }
    >
      <p class="hint">
        {before
          ? `In the table now, and shown to readers by version ${version.number}. Figures of the table are ` +
            `multiples of ${count(before.grain)}, and values that fewer than k units have are told together, ` +
            "so that no difference tells of fewer than k units."
          : "Rows that readers see with each value. Compare with the table counts the column now."}
      </p>
      <Trouble problem={look.problem} />
      <Bars
        label={`Values of ${column}`}
        series={before ? ["in the table", "shown to readers"] : [""]}
        format={count}
        bars={bars.map(it => ({label: it.name, values: before ? [it.before, it.after] : [it.after]}))}
      />
    </Card>
  );
}

function Hidden({version, parts, release, column}: {
  version: Version;
  parts: readonly Part[];
  release: Release;
  column: string;
}) {
  const places = useMemo(() => hiddenPlaces(parts, release, column), [parts, release, column]);
  const rows = version.disclosure.rows;
  const hidden = rows - release.rowsShown(0, column);
  return (
    <Card title={`Where ${column} is hidden`}>
      <p>
        {hidden === 0
          ? `${column} is shown in every row.`
          : `${column} is hidden in ${count(hidden)} of ${count(rows)} rows (${percent(hidden / rows)}).`}
      </p>
      {places.length > 0 ? (
        <div class="scroll" tabIndex={0} role="region" aria-label={`Where ${column} is hidden`}>
          <table>
            <thead>
              <tr>
                <th scope="col">part of the tree</th>
                <th scope="col">hidden there</th>
                <th scope="col" class="number">hidden rows</th>
              </tr>
            </thead>
            <tbody>
              {places.slice(0, kPlaces).map(it => {
                const part = parts[it.part];
                const label = part ? labelOf(part) : "";
                return (
                  <tr key={it.part}>
                    <td>{label}</td>
                    <td>
                      <Bar part={it.hidden} whole={it.rows} label={`${label}: hidden`} />{" "}
                      {percent(it.hidden / it.rows)}
                    </td>
                    <td class="number">{count(it.hidden)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      ) : null}
      {places.length > kPlaces ? (
        <p class="hint">
          {count(places.length - kPlaces)} further parts hide{" "}
          {count(places.slice(kPlaces).reduce((sum, it) => sum + it.hidden, 0))} rows of it.
        </p>
      ) : null}
    </Card>
  );
}

export function Columns({policy, version, parts, release}: {
  policy: string;
  version: Version;
  parts: readonly Part[];
  release: Release;
}) {
  const names = version.tree.attributes.map(it => it.name);
  const [column, setColumn] = useState(names[0] ?? "");
  const {disclosure} = version;
  return (
    <div class="stack">
      <Card title="Columns">
        <div class="scroll" tabIndex={0} role="region" aria-label="Share of each column that is shown">
          <table>
            <caption class="hidden">Share of each column that is shown</caption>
            <thead>
              <tr>
                <th scope="col">column</th>
                <th scope="col">shown</th>
                <th scope="col" title="hidden, but a reader can compute it from what is shown">
                  computable
                </th>
                <th scope="col" title="hidden, and all rows that look alike have the same value">equal</th>
                <th scope="col" class="number">values shown</th>
              </tr>
            </thead>
            <tbody>
              {names.map((name, at) => {
                const disclosed = disclosure.disclosed_by_attribute[at] ?? 0;
                const asked = version.utility?.columns.find(it => it.columns.join() === name);
                return (
                  <tr key={name}>
                    <th scope="row">
                      <button
                        type="button"
                        class="link"
                        aria-pressed={name === column}
                        onClick={() => setColumn(name)}
                      >
                        {name}
                      </button>
                    </th>
                    <td>
                      <Bar part={disclosed} whole={disclosure.rows} label={`${name} shown`} />{" "}
                      {percent(disclosed / disclosure.rows)}
                    </td>
                    <td>{percent((disclosure.computable_by_attribute[at] ?? 0) / disclosure.rows)}</td>
                    <td>{percent((disclosure.equal_by_attribute[at] ?? 0) / disclosure.rows)}</td>
                    <td class="number">
                      {asked ? `${count(asked.groups_shown)} of ${count(asked.groups)}` : "–"}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
        <p class="hint">
          Computable: hidden, but a reader can compute the value from what is shown. Equal: hidden, and all rows
          that look alike have the same value, although no reader can know which.
        </p>
      </Card>
      {column === "" ? null : (
        <>
          <label class="filter">
            Look at the column{" "}
            <select value={column} onChange={it => setColumn(it.currentTarget.value)}>
              {names.map(it => <option key={it} value={it}>{it}</option>)}
            </select>
          </label>
          <div class="cards" key={column}>
            <Values policy={policy} version={version} parts={parts} release={release} column={column} />
            <Hidden version={version} parts={parts} release={release} column={column} />
          </div>
        </>
      )}
    </div>
  );
}
