// What must hold for the result, how it is searched, and what happens to records that have to be suppressed.
import {
  isOfGroups,
  kAlgorithms,
  kMetrics,
  kMondrian,
  kSuppressedRecords,
  type JobForm,
  type SuppressedRecords,
} from "../../job/form.js";
import {largeTableCommand} from "../../job/large-table.js";
import {CutsOf} from "./cuts.js";
import {Amount, Choice} from "./fields.js";

const kSuppressedNames: Record<SuppressedRecords, string> = {
  drop: "left out of the file",
  keep_or_drop: "shown as *, or left out",
  keep_or_hide: "shown as *, or all hidden",
  keep: "shown as *, always",
};
const kSuppressedHints: Record<SuppressedRecords, string> = {
  drop: "The file has no row of a record that had to be suppressed.",
  keep_or_drop:
    "Quasi-identifiers show *, the other columns keep their values. If these rows break a model (fewer than k, for example), they are left out.",
  keep_or_hide:
    "Quasi-identifiers show *, the other columns keep their values. If these rows break a model, all their columns are hidden.",
  keep: "Quasi-identifiers show *, the other columns keep their values, even if these rows break a model.",
};

interface Props {
  form: JobForm;
  set: (change: Partial<JobForm>) => void;
}

/** What most people leave as it is. */
function Search({form, set}: Props) {
  const makesGroups = isOfGroups(form.algorithm);
  return (
    <details>
      <summary>Search settings</summary>
      <div class="row">
        {makesGroups ? null : (
          <Choice label="Metric" value={form.metric} values={kMetrics} onChange={(metric) => set({metric})} />
        )}
        {form.algorithm === kMondrian ? null : (
          <Amount
            label="Seconds at most"
            value={form.seconds}
            min={1}
            max={3600}
            onChange={(seconds) => set({seconds})}
          />
        )}
        <Amount
          label="Threads"
          value={form.threads}
          min={1}
          max={8}
          onChange={(threads) => set({threads})}
        />
        {makesGroups ? null : (
          <Amount
            label="Further transformations"
            value={form.localRecoding}
            min={0}
            max={100}
            onChange={(localRecoding) => set({localRecoding})}
            hint="Maximum number, for records that the previous ones suppressed. These records are then shown more coarsely instead of not at all."
          />
        )}
      </div>
    </details>
  );
}

/** A job of the page fits this machine's memory; the same job of a larger table is for a command. */
function LargeTable({form}: {form: JobForm}) {
  return (
    <>
      <p class="hint">
        A table that is too large for this machine must be processed with the command pgveil-spark. It reads
        the database itself and cuts the table in the same way on your Spark cluster (docs/spark.md). Save the
        job's text
        {form.table ? "" : ", name the table in it (input: {table: public.people}),"} and run this
        command with your own values instead of the words in capitals:
      </p>
      <pre tabIndex={0}>{largeTableCommand(form)}</pre>
    </>
  );
}

export function Goal({form, set}: Props) {
  const makesGroups = isOfGroups(form.algorithm);
  return (
    <>
      <div class="row">
        <Amount
          label="k"
          value={form.k}
          min={1}
          max={4294967296}
          onChange={(k) => set({k})}
        />
        {makesGroups ? null : (
          <Amount
            label="Suppression, per cent"
            value={form.suppression}
            min={0}
            max={100}
            step={0.1}
            onChange={(suppression) => set({suppression})}
          />
        )}
        <Choice
          label="Algorithm"
          value={form.algorithm}
          values={kAlgorithms}
          onChange={(algorithm) => set({algorithm})}
        />
        {makesGroups ? null : (
          <Choice<SuppressedRecords>
            label="Suppressed records"
            value={form.suppressedRecords}
            values={kSuppressedRecords}
            nameOf={(it) => kSuppressedNames[it]}
            hint={kSuppressedHints[form.suppressedRecords]}
            onChange={(suppressedRecords) => set({suppressedRecords})}
          />
        )}
        {form.algorithm === kMondrian ? (
          <CutsOf mondrian={form.mondrian} set={(change) => set({mondrian: {...form.mondrian, ...change}})} />
        ) : null}
      </div>
      <Search form={form} set={set} />
      {form.algorithm === kMondrian ? <LargeTable form={form} /> : null}
    </>
  );
}
