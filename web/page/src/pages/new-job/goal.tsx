// What is asked of the result, and where it is computed.
import type {SparkOffer} from "../../api.js";
import {kMetrics, kMondrian, kOutliers, type JobForm} from "../../job/form.js";
import {algorithmChoice, algorithmChoices, kOnSpark, sparkOf, withAlgorithm} from "../../job/spark.js";
import {CutsOf} from "./cuts.js";
import {Amount, Choice, plainWords} from "./fields.js";
import {OnSpark} from "./on-spark.js";

const algorithmName = (choice: string) =>
  choice === kOnSpark ? "mondrian, on a Spark cluster" : plainWords(choice);

function Search({form, set}: {form: JobForm; set: (change: Partial<JobForm>) => void}) {
  return (
    <>
      <Amount
        label="Suppression, per cent"
        value={form.suppression}
        min={0}
        max={100}
        step={0.1}
        onChange={(suppression) => set({suppression})}
      />
      <Choice label="Metric" value={form.metric} values={kMetrics} onChange={(metric) => set({metric})} />
      <Choice
        label="Suppressed records"
        value={form.outliers}
        values={kOutliers}
        onChange={(outliers) => set({outliers})}
      />
      <Amount
        label="Seconds at most"
        value={form.seconds}
        min={1}
        max={3600}
        onChange={(seconds) => set({seconds})}
      />
      <Amount
        label="Further transformations"
        value={form.localRecoding}
        min={0}
        max={100}
        onChange={(localRecoding) => set({localRecoding})}
        hint="So many at most, for the records that are suppressed by those before: they are shown more coarsely, in place of not at all."
      />
    </>
  );
}

export function Goal({
  form,
  offer,
  set,
}: {
  form: JobForm;
  offer: SparkOffer | null;
  set: (change: Partial<JobForm>) => void;
}) {
  const plan = sparkOf(form);
  return (
    <>
      <fieldset>
        <legend>What is asked of the result</legend>
        <Amount label="k" value={form.k} min={1} max={4294967296} onChange={(k) => set({k})} />
        <Choice
          label="Algorithm"
          value={algorithmChoice(form)}
          values={algorithmChoices(form, offer)}
          nameOf={algorithmName}
          onChange={(choice) => set(withAlgorithm(choice))}
        />
        {form.algorithm === kMondrian ? null : <Search form={form} set={set} />}
        <Amount
          label={plan ? "Threads of each part" : "Threads"}
          value={form.threads}
          min={1}
          max={8}
          onChange={(threads) => set({threads})}
        />
        <label>
          Name
          <input
            required
            pattern="[a-z_][a-z0-9_]*"
            maxLength={63}
            value={form.name}
            onInput={(it) => set({name: it.currentTarget.value})}
          />
        </label>
        {form.algorithm === kMondrian ? (
          <CutsOf mondrian={form.mondrian} set={(change) => set({mondrian: {...form.mondrian, ...change}})} />
        ) : null}
      </fieldset>
      {plan ? (
        <OnSpark
          plan={plan}
          most={offer?.most_workers ?? plan.workers}
          set={(change) => set({spark: {...plan, ...change}})}
        />
      ) : null}
    </>
  );
}
