// How a job is run on the cluster.
import {kDivisions, type Division, type SparkPlan} from "../../page-jobs-api.js";
import {Amount, Choice} from "./fields.js";

const kDivisionHints: Record<Division, string> = {
  multidimensional: "The largest part is cut at the median of a column, again and again, as mondrian does.",
  quantiles:
    "One column is cut at its quantiles, as the paper does: parts are alike in size, and long in all other columns.",
};

export function OnSpark({
  plan,
  most,
  set,
}: {
  plan: SparkPlan;
  most: number;
  set: (change: Partial<SparkPlan>) => void;
}) {
  return (
    <fieldset>
      <legend>On the Spark cluster</legend>
      <Amount
        label="Workers"
        value={plan.workers}
        min={1}
        max={most}
        onChange={(workers) => set({workers})}
        hint={`How many workers of the cluster share the work; ${most} at most here.`}
      />
      <Amount
        label="Share of the records that is looked at, per cent"
        value={plan.sample}
        min={0.01}
        max={100}
        step={0.01}
        onChange={(sample) => set({sample})}
        hint="From them it is found where the table is divided into parts. Some hundred records for each part are enough."
      />
      <Choice<Division>
        label="How the table is divided"
        value={plan.partition_by}
        values={kDivisions}
        hint={kDivisionHints[plan.partition_by]}
        onChange={(partition_by) => set({partition_by})}
      />
    </fieldset>
  );
}
