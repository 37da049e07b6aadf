// A policy's version beside another: what a build now would change, or what changed since a version that was
// saved.
import {useState} from "preact/hooks";
import {api, type Difference, type VersionSide} from "../api.js";
import {saveText} from "../download.js";
import {count} from "../ui/format.js";
import {Grid, Trouble, useAction} from "../ui.js";

function Side({name, side}: {name: string; side: VersionSide}) {
  return (
    <p>
      <strong>{name}</strong>:{" "}
      {side.number === 0 ? "a build now" : `version ${side.number} of ${side.built_at}`}, k = {side.k},{" "}
      {count(side.rows)} rows, {count(side.cohorts)} cohorts, the smallest has {count(side.smallest_cohort)}{" "}
      units
    </p>
  );
}

export function Differences({policy}: {policy: string}) {
  const [found, setFound] = useState<Difference | null>(null);
  const [saved, setSaved] = useState("");
  const compare = useAction(async () => {
    setFound(null);
    setFound(await api.difference(policy, saved));
  });
  const save = useAction(async () => saveText(`${policy}.json`, JSON.stringify(await api.version(policy))));
  return (
    <section aria-labelledby="difference-title">
      <h2 id="difference-title">Difference of two versions</h2>
      <p class="hint">
        Choose a saved version to see what changed since then. Without one, you see what a build would change
        now. Nothing is stored.
      </p>
      <p class="actions">
        <button type="button" disabled={compare.isBusy} onClick={compare.run}>
          {compare.isBusy
            ? "comparing …"
            : saved === ""
              ? "Compare with a build now"
              : "Compare with the file"}
        </button>
        <label class="file">
          A saved version{" "}
          <input
            type="file"
            accept=".json,application/json"
            onChange={(it) => {
              const file = it.currentTarget.files?.[0];
              if (file) void file.text().then(setSaved);
              else setSaved("");
            }}
          />
        </label>
        <button type="button" disabled={save.isBusy} onClick={save.run}>
          Save this version
        </button>
      </p>
      <Trouble problem={compare.problem ?? save.problem} />
      <div role="status">
        {found ? (
          <>
            <Side name="Before" side={found.before} />
            <Side name="After" side={found.after} />
            <Grid caption="Share of each column that is shown" table={found.shares} />
            <Grid caption="GROUP BY, and how wrong it is" table={found.answers} />
            {found.changes.rows.length > 0 ? (
              <Grid caption="Combinations of values that are shown" table={found.changes} />
            ) : (
              <p class="fine">Readers see the same combinations of values, on as many rows.</p>
            )}
            <p>
              {count(found.same)} {found.same === 1 ? "combination is" : "combinations are"} the same.
            </p>
          </>
        ) : null}
      </div>
    </section>
  );
}
