import type {Utility} from "../../api.js";
import {heatMap, heatOf} from "../../policy/heat.js";
import {percent} from "../../ui/format.js";
import {Card} from "../../ui.js";

export function HeatMap({utility}: {utility: Utility}) {
  const {names, cells} = heatMap(utility);
  return (
    <Card title="How wrong counts are">
      <p class="hint">
        Each cell is the mean error of count(*) with GROUP BY the row's and the column's name; the diagonal is one
        column alone. 0 % is exact. Counts are never too high.
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Mean error by column and pair">
        <table class="heat">
          <caption class="hidden">Mean error by column and pair</caption>
          <thead>
            <tr>
              <td />
              {names.map(it => <th scope="col" key={it}>{it}</th>)}
            </tr>
          </thead>
          <tbody>
            {cells.map((row, at) => (
              <tr key={names[at]}>
                <th scope="row">{names[at]}</th>
                {row.map((cell, column) => (
                  <td
                    key={names[column]}
                    class={cell.error === null ? "none" : `h${heatOf(cell.error)}`}
                    title={cell.shown === null ? "" : `${percent(cell.shown)} of the rows are shown`}
                  >
                    {cell.error === null ? "–" : percent(cell.error)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
