// What is asked of the result, and where it is computed.
import type {SparkOffer} from "../../api.js";
import {kDivisions, type Division, type SparkPlan} from "../../desk-api.js";
import {kMetrics, kMondrian, kOutliers, type JobForm} from "../../job/form.js";
import {algorithmChoice, algorithmChoices, kOnSpark, sparkOf, withAlgorithm} from "../../job/spark.js";
import {Amount, Choice, plainWords} from "./fields.js";

const algorithmName = (choice: string) => (choice === kOnSpark ? "mondrian, on a Spark cluster" : plainWords(choice));

const kDivisionHints: Record<Division, string> = {
  multidimensional: "The largest part is cut at the median of a column, again and again, as mondrian does.",
  quantiles: "One column is cut at its quantiles, as the paper does: parts are alike in size, and long in all other columns.",
};

function OnSpark({plan, most, set}: {plan: SparkPlan; most: number; set: (change: Partial<SparkPlan>) => void}) {
  return (
    <fieldset>
      <legend>On the Spark cluster</legend>
      <Amount label="Workers" value={plan.workers} min={1} max={most} onChange={workers => set({workers})}
              hint={`How many workers of the cluster share the work; ${most} at most here.`} />
      <Amount label="Share of the records that is looked at, per cent" value={plan.sample} min={0.01} max={100} step={0.01} onChange={sample => set({sample})}
              hint="From them it is found where the table is divided into parts. Some hundred records for each part are enough." />
      <Choice<Division> label="How the table is divided" value={plan.partition_by} values={kDivisions} hint={kDivisionHints[plan.partition_by]}
                        onChange={partition_by => set({partition_by})} />
    </fieldset>
  );
}

function Search({form, set}: {form: JobForm; set: (change: Partial<JobForm>) => void}) {
  return (
    <>
      <Amount label="Suppression, per cent" value={form.suppression} min={0} max={100} step={0.1} onChange={suppression => set({suppression})} />
      <Choice label="Metric" value={form.metric} values={kMetrics} onChange={metric => set({metric})} />
      <Choice label="Suppressed records" value={form.outliers} values={kOutliers} onChange={outliers => set({outliers})} />
      <Amount label="Seconds at most" value={form.seconds} min={1} max={3600} onChange={seconds => set({seconds})} />
    </>
  );
}

export function Goal({form, offer, set}: {form: JobForm; offer: SparkOffer | null; set: (change: Partial<JobForm>) => void}) {
  const plan = sparkOf(form);
  return (
    <>
      <fieldset>
        <legend>What is asked of the result</legend>
        <Amount label="k" value={form.k} min={1} max={4294967296} onChange={k => set({k})} />
        <Choice label="Algorithm" value={algorithmChoice(form)} values={algorithmChoices(form, offer)} nameOf={algorithmName}
                onChange={choice => set(withAlgorithm(choice))} />
        {form.algorithm === kMondrian ? null : <Search form={form} set={set} />}
        <Amount label={plan ? "Threads of each part" : "Threads"} value={form.threads} min={1} max={8} onChange={threads => set({threads})} />
        <label>Name<input required pattern="[a-z_][a-z0-9_]*" maxLength={63} value={form.name} onInput={it => set({name: it.currentTarget.value})} /></label>
      </fieldset>
      {plan ? <OnSpark plan={plan} most={offer?.most_workers ?? plan.workers} set={change => set({spark: {...plan, ...change}})} /> : null}
    </>
  );
}
