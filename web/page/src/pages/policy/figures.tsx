// What a version discloses, as figures and as shares of its columns.
import type {Disclosure, Utility} from "../../api.js";
import {count, percent} from "../../ui/format.js";
import {Bar, FigureList} from "../../ui.js";
import {cellsShown, meanError, ofMillion} from "../../utility.js";

export function Shares({attributes, disclosure}: {attributes: string[]; disclosure: Disclosure}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Share of each column that is shown">
      <table>
        <caption>Share of each column that is shown</caption>
        <thead>
          <tr>
            <th scope="col">column</th>
            <th scope="col">shown</th>
            <th scope="col">computable</th>
            <th scope="col">equal</th>
          </tr>
        </thead>
        <tbody>
          {attributes.map((attribute, at) => {
            const disclosed = disclosure.disclosed_by_attribute[at] ?? 0;
            const computable = disclosure.computable_by_attribute[at] ?? 0;
            const equal = disclosure.equal_by_attribute[at] ?? 0;
            return (
              <tr key={attribute}>
                <th scope="row">{attribute}</th>
                <td>
                  <Bar part={disclosed} whole={disclosure.rows} label={`${attribute} shown`} />{" "}
                  {percent(disclosed / disclosure.rows)}
                </td>
                <td>{percent(computable / disclosure.rows)}</td>
                <td>{percent(equal / disclosure.rows)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function Figures({disclosure, utility, k}: {
  disclosure: Disclosure; utility: Utility | undefined; k: number;
}) {
  const error = utility ? meanError(utility) : null;
  return (
    <FigureList
      figures={[
        ["k", count(k)],
        ["rows", count(disclosure.rows)],
        ["units", count(disclosure.units)],
        ["cohorts", count(disclosure.cohorts)],
        ["smallest cohort", count(disclosure.smallest_cohort)],
        ["cells shown", cellsShown(disclosure, utility)],
        ["mean error by column", error === null ? "–" : ofMillion(error)],
        ["hidden, computable", percent(disclosure.computable / disclosure.cells)],
        ["hidden, equal", percent(disclosure.equal / disclosure.cells)],
      ]}
    />
  );
}
