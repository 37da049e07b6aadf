import {useState} from "preact/hooks";
import {useLive} from "../live.js";
import {Grid} from "../ui.js";

const kTables: [topic: string, title: string][] = [
  ["pools", "Pools"],
  ["clients", "Clients"],
  ["stats", "Traffic by database"],
  ["refusals", "Refusals by reason, since the start"],
  ["databases", "Databases"],
];

export function Operations() {
  const [isOn, setOn] = useState(true);
  const {tables, isConnected} = useLive(isOn);
  const state = !isOn ? "stopped" : isConnected ? "live" : "connecting …";
  return (
    <section>
      <h1>Operations</h1>
      <p class="actions">
        <span class="state" role="status">
          {state}
        </span>
        <button type="button" aria-pressed={!isOn} onClick={() => setOn((it) => !it)}>
          {isOn ? "Stop updates" : "Resume updates"}
        </button>
      </p>
      {kTables.map(([topic, title]) => {
        const table = tables[topic];
        return table ? <Grid key={topic} caption={title} table={table} /> : null;
      })}
    </section>
  );
}
