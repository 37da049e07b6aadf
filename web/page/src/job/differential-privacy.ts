// What differential privacy asks of a form in place of k: epsilon and delta, and one level for each column.
import type {Separator} from "./separated.js";

/** What must hold for the result. */
export const kPrivacyModels = ["k_anonymity", "differential_privacy"] as const;
export type PrivacyModel = (typeof kPrivacyModels)[number];

/** As they were typed. */
export interface EpsilonAndDelta {
  epsilon: string;
  delta: string;
}

export const kUsualEpsilonAndDelta: EpsilonAndDelta = {epsilon: "1", delta: "0.000001"};

export const kSteps = ["day", "month", "quarter", "year", "decade"] as const;
export type Step = (typeof kSteps)[number];

/** How a quasi-identifier is shown in each record. Nothing of it is suggested by the values of the table,
 * because then the table would decide how its records are shown. */
export interface FixedLevel {
  /** Of intervals; empty: nobody has chosen one. */
  width: string;
  /** Of dates. */
  step: Step;
  /** Of a file; 0 shows the values as they are. */
  level: number;
}

export const kNewFixedLevel: FixedLevel = {width: "", step: "year", level: 1};

/** Masking pads values to the longest one of the table. */
export const isRefusedHierarchy = (kind: string) => kind === "masking" || kind === "hide";

export const epsilonAndDeltaYaml = ({epsilon, delta}: EpsilonAndDelta) =>
  `differential_privacy: {epsilon: ${epsilon}, delta: ${delta}}`;

/** Of the form as the rules below need it. */
interface Column {
  name: string;
  class: string;
  hierarchy: {kind: string; fixed: FixedLevel; upload: {separator: Separator} | null; rows: string[][]};
}

const isNumber = (text: string) => /^\d+(\.\d+)?(e-?\d+)?$/i.test(text);
const isFrom = (text: string, least: number, most: number) =>
  isNumber(text) && Number(text) >= least && Number(text) <= most;

function levelMistake({name, hierarchy}: Column): string | null {
  const {kind, fixed, upload, rows} = hierarchy;
  if (isRefusedHierarchy(kind))
    return `${name}: differential privacy can't use masking, because it pads values to the longest one of the table. Choose another kind, upload a hierarchy, or leave the column out as an identifier.`;
  if (kind === "intervals" && !(isNumber(fixed.width) && Number(fixed.width) > 0))
    return `${name}: its intervals need one width, a number above 0.`;
  if (kind === "file" && !upload) return `${name}: upload its hierarchy, or choose another kind.`;
  if (kind === "file" && !(Number.isInteger(fixed.level) && fixed.level >= 0 && fixed.level <= 127))
    return `${name}: its level is a whole number from 0 to 127.`;
  if (kind === "table" && rows.length === 0)
    return `${name} has too many values to show them as they are. Upload a hierarchy, or choose another kind.`;
  return null;
}

function columnMistake(column: Column): string | null {
  switch (column.class) {
    case "quasi_identifier":
      return levelMistake(column);
    case "identifier":
      return null;
    default:
      return `${column.name}: differential privacy publishes a column as a quasi-identifier or not at all. Make it a quasi-identifier, or an identifier, which is left out.`;
  }
}

/** What pgveil would refuse, in the form's words; null: nothing. */
export function privacyMistake(
  {epsilon, delta}: EpsilonAndDelta,
  makesGroups: boolean,
  columns: readonly Column[],
): string | null {
  if (!isFrom(epsilon, 0.01, 10)) return "Epsilon is a number from 0.01 to 10.";
  if (!isFrom(delta, 1e-15, 0.01)) return "Delta is a number from 1e-15 to 0.01.";
  if (makesGroups)
    return "Differential privacy can't be kept by an algorithm that makes groups, because the groups depend on the data. Choose one that searches levels, such as flash.";
  for (const column of columns) {
    const mistake = columnMistake(column);
    if (mistake !== null) return mistake;
  }
  return null;
}
