// How mondrian cuts a table into groups: the form's choices, and what the text says of them.

export const kCutBy = ["normalized_span", "span", "entropy", "min_entropy"] as const;
export type CutBy = (typeof kCutBy)[number];

/** strict: records of one value stay together. */
export const kCuts = ["strict", "relaxed"] as const;
export type Cuts = (typeof kCuts)[number];

/** What a group shows. */
export const kRanges = ["tight", "region", "sets"] as const;
export type Ranges = (typeof kRanges)[number];

export interface Mondrian {
  cutBy: CutBy;
  cuts: Cuts;
  ranges: Ranges;
}

export const kUsualCuts: Mondrian = {cutBy: "normalized_span", cuts: "strict", ranges: "tight"};

/** Nothing of what pgveil does unless told. */
export function mondrianYaml({cutBy, cuts, ranges}: Mondrian): string[] {
  const parts = [
    cutBy === kUsualCuts.cutBy ? "" : `cut_by: ${cutBy}`,
    cuts === kUsualCuts.cuts ? "" : `cuts: ${cuts}`,
    ranges === kUsualCuts.ranges ? "" : `ranges: ${ranges}`,
  ].filter(it => it !== "");
  return parts.length === 0 ? [] : [`mondrian: {${parts.join(", ")}}`];
}
