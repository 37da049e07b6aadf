// What must hold for the result, how it is searched, and what happens to records that have to be suppressed.
import {kPrivacyModels, type PrivacyModel} from "../../job/differential-privacy.js";
import {
  generalizationOf,
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
import {Amount, Choice, Threshold} from "./fields.js";

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

const kModelNames: Record<PrivacyModel, string> = {
  k_anonymity: "k-anonymity",
  differential_privacy: "differential privacy",
};
const kModelHints: Record<PrivacyModel, string> = {
  k_anonymity:
    "At least k records of the result look the same in all quasi-identifiers. Sensitive columns can ask for more.",
  differential_privacy:
    "Whether the table has one person's record changes the probability of any result only little, whatever else somebody knows. A random sample of the records is published, at levels that you name.",
};

interface Props {
  form: JobForm;
  set: (change: Partial<JobForm>) => void;
}

/** In place of k and what follows from it. */
function EpsilonAndDeltaOf({form, set}: Props) {
  return (
    <>
      <Threshold
        label="Epsilon"
        value={form.epsilon}
        onInput={(epsilon) => set({epsilon})}
        hint="One record changes no probability by more than a factor of e to the power of epsilon. 0.1 to 1.5 is usual. A larger epsilon takes more records, but protects less, and needs larger classes."
      />
      <Threshold
        label="Delta"
        value={form.delta}
        onInput={(delta) => set({delta})}
        hint="The probability that this does not hold: well below 1 divided by the number of records."
      />
    </>
  );
}

/** What somebody has to know before they run it. */
function PrivateNotes() {
  return (
    <ul class="hint">
      <li>
        k is not asked for: it follows from epsilon and delta, and the result of the run tells it. All records in
        smaller classes are left out, so there is no limit on suppression. There are no further transformations
        and no metric either, because nothing is searched.
      </li>
      <li>
        Each column is shown at the one level that you name above. Choose it by what you know of the subject, and
        not by the values of this table. No other classes of columns can be published.
      </li>
      <li>
        What is protected is one record. A person with five records has five times epsilon at best.
      </li>
      <li>
        Publish one table of the same people only. Each run draws another sample, and the epsilons and deltas of
        two tables add up. The figures of the run tell exact numbers of records: do not publish them.
      </li>
    </ul>
  );
}

/** What most people leave as it is. */
function Search({form, set}: Props) {
  const isSearched = generalizationOf(form) === "searched";
  return (
    <details>
      <summary>Search settings</summary>
      <div class="row">
        {!isSearched ? null : (
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
        {!isSearched ? null : (
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
  const generalization = generalizationOf(form);
  const isSearched = generalization === "searched";
  const isPrivate = generalization === "fixed";
  return (
    <>
      <div class="row">
        <Choice<PrivacyModel>
          label="Privacy model"
          value={form.privacyModel}
          values={kPrivacyModels}
          nameOf={(it) => kModelNames[it]}
          hint={kModelHints[form.privacyModel]}
          onChange={(privacyModel) => set({privacyModel})}
        />
        {isPrivate ? (
          <EpsilonAndDeltaOf form={form} set={set} />
        ) : (
          <Amount label="k" value={form.k} min={1} max={4294967296} onChange={(k) => set({k})} />
        )}
        {!isSearched ? null : (
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
          hint={
            isPrivate && isOfGroups(form.algorithm)
              ? "Groups depend on the data, so differential privacy can't be kept. Choose an algorithm that searches levels."
              : undefined
          }
          onChange={(algorithm) => set({algorithm})}
        />
        {!isSearched ? null : (
          <Choice<SuppressedRecords>
            label="Suppressed records"
            value={form.suppressedRecords}
            values={kSuppressedRecords}
            nameOf={(it) => kSuppressedNames[it]}
            hint={kSuppressedHints[form.suppressedRecords]}
            onChange={(suppressedRecords) => set({suppressedRecords})}
          />
        )}
        {form.algorithm === kMondrian && !isPrivate ? (
          <CutsOf mondrian={form.mondrian} set={(change) => set({mondrian: {...form.mondrian, ...change}})} />
        ) : null}
      </div>
      {isPrivate ? <PrivateNotes /> : null}
      <Search form={form} set={set} />
      {form.algorithm === kMondrian && !isPrivate ? <LargeTable form={form} /> : null}
    </>
  );
}
