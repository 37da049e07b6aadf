// A job on a Spark cluster: the form's choice of it, and the command that does the same elsewhere.
import type {SparkOffer} from "../api.js";
import type {SparkPlan} from "../page-jobs-api.js";
import {kAlgorithms, kMondrian, type JobForm} from "./form.js";

/** Beside the names of algorithms; never in a job's text. */
export const kOnSpark = "mondrian_on_spark";

export const sparkOf = (form: JobForm): SparkPlan | null =>
  form.algorithm === kMondrian && form.isOnSpark ? form.spark : null;

export const algorithmChoice = (form: JobForm) => (sparkOf(form) ? kOnSpark : form.algorithm);

/** One that was chosen while there was a cluster stays to be seen. */
export const algorithmChoices = (form: JobForm, offer: SparkOffer | null) =>
  offer || sparkOf(form) ? [...kAlgorithms, kOnSpark] : kAlgorithms;

export function withAlgorithm(choice: string): Pick<JobForm, "algorithm" | "isOnSpark"> {
  return choice === kOnSpark
    ? {algorithm: kMondrian, isOnSpark: true}
    : {algorithm: choice, isOnSpark: false};
}

/** What can be told without asking pgveil; null: nothing. */
export function sparkMistake(form: JobForm, offer: SparkOffer | null): string | null {
  const plan = sparkOf(form);
  if (plan && !offer) return "There is no Spark cluster to run it on: choose another algorithm.";
  return planMistake(plan, offer);
}

export function planMistake(plan: SparkPlan | null, offer: SparkOffer | null): string | null {
  if (!plan) return null;
  if (!offer) return "There is no Spark cluster to run it on.";
  if (!Number.isInteger(plan.workers) || plan.workers < 1 || plan.workers > offer.most_workers)
    return `Workers are a whole number from 1 to ${offer.most_workers}.`;
  if (!(plan.sample > 0 && plan.sample <= 100))
    return "The share that is looked at for the division is more than 0 and at most 100 per cent.";
  return null;
}

/** As a word of a shell. */
const word = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The same without the page; file: the job's text. */
export function sparkCommand(plan: SparkPlan, file: string): string {
  return `pgveil-spark --partitions ${plan.workers} --partition-by ${plan.partition_by} --sample ${plan.sample}% ${word(file)}`;
}
