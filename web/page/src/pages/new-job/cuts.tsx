// How mondrian cuts; what it does unless told is what most want.
import {useState} from "preact/hooks";
import {
  kCutBy,
  kCuts,
  kRanges,
  kRangesOfDrawn,
  kUsualCuts,
  withCuts,
  type CutBy,
  type Cuts,
  type Mondrian,
  type Ranges,
} from "../../job/cuts.js";
import {Choice} from "./fields.js";

const kCutByHints: Record<CutBy, string> = {
  normalized_span:
    "The column with the greatest share of its whole range is cut first, so all stay about equally coarse.",
  span: "The column with the greatest range is cut first, whatever its scale.",
  entropy: "The column with the greatest entropy is cut first.",
  min_entropy: "The column with the smallest entropy is cut first.",
};
const kCutsHints: Record<Cuts, string> = {
  strict: "Records of one value stay together.",
  relaxed: "Records of one value may be divided, so groups are smaller and overlap.",
  drawn:
    "Cuts are drawn at random, so that somebody who knows how pgveil cuts can compute nothing from them. " +
    "Groups are larger, and each run gives another table. Publish one of them only.",
};
const kRangesHints: Record<Ranges, string> = {
  tight: "A group shows its smallest and largest value. This reveals that somebody has each of them.",
  region: "A group shows the range that the cuts left to it. This is coarser, and reveals the cuts instead.",
  sets: "A group shows the set of its values in columns of categories. This loses least, and reveals that somebody has each of them.",
  region_sets:
    "A group shows the set of values that the cuts left to it in columns of categories, " +
    "and the range in columns of numbers.",
};

export function CutsOf({mondrian, set}: {mondrian: Mondrian; set: (change: Partial<Mondrian>) => void}) {
  const [wasUsual] = useState(() => JSON.stringify(mondrian) === JSON.stringify(kUsualCuts));
  const isDrawn = mondrian.cuts === "drawn";
  return (
    <details class="wide" open={!wasUsual}>
      <summary>How groups are cut</summary>
      <div class="row">
        {isDrawn ? null : (
          <Choice<CutBy>
            label="Cut by"
            value={mondrian.cutBy}
            values={kCutBy}
            hint={kCutByHints[mondrian.cutBy]}
            onChange={(cutBy) => set({cutBy})}
          />
        )}
        <Choice<Cuts>
          label="Cuts"
          value={mondrian.cuts}
          values={kCuts}
          hint={kCutsHints[mondrian.cuts]}
          onChange={(cuts) => set(withCuts(mondrian, cuts))}
        />
        <Choice<Ranges>
          label="Ranges"
          value={mondrian.ranges}
          values={isDrawn ? kRangesOfDrawn : kRanges}
          hint={kRangesHints[mondrian.ranges]}
          onChange={(ranges) => set({ranges})}
        />
      </div>
    </details>
  );
}
