// How mondrian cuts a table into groups: the form's choices, and what the text says of them.

export const kCutBy = ["normalized_span", "span", "entropy", "min_entropy"] as const;
export type CutBy = (typeof kCutBy)[number];

/** strict: records of one value stay together. drawn: at random, to resist attacks. */
export const kCuts = ["strict", "relaxed", "drawn"] as const;
export type Cuts = (typeof kCuts)[number];

/** What a group shows. */
export const kRanges = ["tight", "region", "sets", "region_sets"] as const;
export type Ranges = (typeof kRanges)[number];
/** What groups may show whose cuts are drawn; the first is usual. */
export const kRangesOfDrawn = ["region_sets", "region"] as const;

export interface Mondrian {
  cutBy: CutBy;
  cuts: Cuts;
  ranges: Ranges;
}

export const kUsualCuts: Mondrian = {cutBy: "normalized_span", cuts: "strict", ranges: "tight"};

/** With the ranges that these cuts allow. */
export function withCuts(mondrian: Mondrian, cuts: Cuts): Mondrian {
  if ((cuts === "drawn") === (mondrian.cuts === "drawn")) return {...mondrian, cuts};
  return {...mondrian, cuts, ranges: cuts === "drawn" ? kRangesOfDrawn[0] : kUsualCuts.ranges};
}

/** Nothing of what pgveil does unless told. */
export function mondrianYaml({cutBy, cuts, ranges}: Mondrian): string[] {
  if (cuts === "drawn") {
    const shown = ranges === kRangesOfDrawn[0] ? [] : [`mondrian: {ranges: ${ranges}}`];
    return ["resist: [downcoding, minimality, refinement]", ...shown];
  }
  const parts = [
    cutBy === kUsualCuts.cutBy ? "" : `cut_by: ${cutBy}`,
    cuts === kUsualCuts.cuts ? "" : `cuts: ${cuts}`,
    ranges === kUsualCuts.ranges ? "" : `ranges: ${ranges}`,
  ].filter(it => it !== "");
  return parts.length === 0 ? [] : [`mondrian: {${parts.join(", ")}}`];
}
