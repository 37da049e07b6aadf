// What each class of the result promises of a sensitive column: as it was typed, and as the job's text says
// it.

/** How far apart two values are, for t. */
export const kDistances = ["equal", "ordered"] as const;
export type Distance = (typeof kDistances)[number];

/** enhanced: frequent values may gain less. */
export const kLikenesses = ["enhanced", "basic"] as const;
export type Likeness = (typeof kLikenesses)[number];

/** Empty: not asked for. */
export interface Models {
  /** Distinct l-diversity. */
  l: string;
  t: string;
  distance: Distance;
  /** Entropy l-diversity. */
  entropy: string;
  /** Recursive (c, l)-diversity: both or none. */
  recursiveC: string;
  recursiveL: string;
  beta: string;
  likeness: Likeness;
  delta: string;
}

export const kNoModels: Models = {
  l: "",
  t: "",
  distance: "equal",
  entropy: "",
  recursiveC: "",
  recursiveL: "",
  beta: "",
  likeness: "enhanced",
  delta: "",
};

/** As the text's keys of an attribute; only numbers get this far (modelsMistake). */
export function modelsYaml(models: Models): string[] {
  const diversity = [
    models.l === "" ? "" : `distinct: ${models.l}`,
    models.entropy === "" ? "" : `entropy: ${models.entropy}`,
    models.recursiveC === "" ? "" : `recursive: {c: ${models.recursiveC}, l: ${models.recursiveL}}`,
  ].filter(it => it !== "");
  const isOrdered = models.distance === "ordered";
  return [
    diversity.length === 0 ? "" : `l_diversity: {${diversity.join(", ")}}`,
    models.t === "" ? "" : `t_closeness: {t: ${models.t}${isOrdered ? ", distance: ordered" : ""}}`,
    models.t === "" || !isOrdered ? "" : "order: number",
    models.beta === ""
      ? ""
      : `beta_likeness: {beta: ${models.beta}${models.likeness === "basic" ? ", kind: basic" : ""}}`,
    models.delta === "" ? "" : `delta_disclosure: ${models.delta}`,
  ].filter((it) => it !== "");
}

/** Those of them that groups can't keep, as they are called: two groups that show the same values are one
 * class, which can break a delta that both keep. */
export function notOfGroups(models: Models): string[] {
  return models.delta === "" ? [] : ["delta-disclosure"];
}

const kMostL = 1e9;
const isNumber = (text: string) => /^\d+(\.\d+)?$/.test(text);
const isFrom = (least: number, most: number) => (text: string) =>
  isNumber(text) && Number(text) >= least && Number(text) <= most;
const isAboveZero = (text: string) => isNumber(text) && Number(text) > 0;
const isWhole = (text: string) => /^\d+$/.test(text) && isFrom(1, kMostL)(text);

/** Null: nothing is wrong with what was typed. */
export function modelsMistake(models: Models): string | null {
  const rules: [text: string, isRight: (text: string) => boolean, words: string][] = [
    [models.l, isFrom(1, kMostL), "l is a number from 1 on"],
    [models.t, isFrom(0, 1), "t is a number from 0 to 1"],
    [models.entropy, isFrom(1, kMostL), "entropy l is a number from 1 on"],
    [models.recursiveC, isAboveZero, "c of recursive l-diversity is a number above 0"],
    [models.recursiveL, isWhole, "l of recursive l-diversity is a whole number from 1 on"],
    [models.beta, isAboveZero, "beta is a number above 0"],
    [models.delta, isAboveZero, "delta is a number above 0"],
  ];
  const broken = rules.find(([text, isRight]) => text !== "" && !isRight(text));
  if (broken) return broken[2];
  return (models.recursiveC === "") === (models.recursiveL === "")
    ? null
    : "recursive l-diversity needs both c and l";
}
