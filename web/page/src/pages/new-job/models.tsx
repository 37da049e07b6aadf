// What is asked of a sensitive column: l and t, and behind "More models" the others.
import {useState} from "preact/hooks";
import {
  kDistances,
  kLikenesses,
  kNoModels,
  notOfGroups,
  type Distance,
  type Likeness,
  type Models,
} from "../../job/models.js";
import {Choice, Threshold} from "./fields.js";

const kDistanceNames: Record<Distance, string> = {
  equal: "all values equally far apart",
  ordered: "ordered by number",
};
const kLikenessNames: Record<Likeness, string> = {
  enhanced: "enhanced: frequent values gain less",
  basic: "basic",
};

const kMore = ["distance", "entropy", "recursiveC", "recursiveL", "beta", "likeness", "delta"] as const;
const isPlain = (models: Models) => kMore.every(it => models[it] === kNoModels[it]);

/** The two that most people ask for, in one row. */
export function ModelsOf({column, models, makesGroups, set}: {
  column: string; models: Models; makesGroups: boolean; set: (change: Partial<Models>) => void;
}) {
  const others = makesGroups ? notOfGroups(models) : [];
  return (
    <>
      <div class="row">
        <label>
          <span>
            l<span class="hidden"> of {column}</span>: different values in each class
          </span>
          <input
            class="short"
            inputMode="numeric"
            value={models.l}
            onInput={(it) => set({l: it.currentTarget.value.trim()})}
          />
        </label>
        <label>
          <span>
            t<span class="hidden"> of {column}</span>: distance from all records, 0 to 1
          </span>
          <input
            class="short"
            inputMode="decimal"
            value={models.t}
            onInput={(it) => set({t: it.currentTarget.value.trim()})}
          />
        </label>
      </div>
      {others.length > 0 ? (
        <p class="hint">
          Groups can't keep {others.join(", ")}: leave {others.length > 1 ? "them" : "it"} empty, or choose
          another algorithm.
        </p>
      ) : null}
    </>
  );
}

export function MoreModels({column, models, set}: {
  column: string; models: Models; set: (change: Partial<Models>) => void;
}) {
  const [wasPlain] = useState(() => isPlain(models));
  return (
    <details open={!wasPlain}>
      <summary>More models of {column}</summary>
      <div class="row">
        <Choice<Distance>
          label={`Distance for t of ${column}`}
          value={models.distance}
          values={kDistances}
          nameOf={(it) => kDistanceNames[it]}
          hint="Ordered by number: 20 and 21 are closer than 20 and 90. For columns of numbers."
          onChange={(distance) => set({distance})}
        />
        <Threshold
          label={`Entropy l of ${column}`}
          value={models.entropy}
          onInput={(entropy) => set({entropy})}
          hint="The values of each class are at least as evenly distributed as this many values of equal frequency, for example 2.5."
        />
        <Threshold
          label={`Recursive c of ${column}`}
          value={models.recursiveC}
          onInput={(recursiveC) => set({recursiveC})}
          hint="The most frequent value of a class occurs less than c times as often as all values from the l-th most frequent on together. Give both c and l, or neither. Usual values of c are 2 to 5."
        />
        <Threshold
          label={`Recursive l of ${column}`}
          value={models.recursiveL}
          isWhole
          onInput={(recursiveL) => set({recursiveL})}
        />
        <Threshold
          label={`Beta of ${column}`}
          value={models.beta}
          onInput={(beta) => set({beta})}
          hint="No value is more than 1 + beta times as frequent in a class as in the table. With 1 the frequency can double."
        />
        <Choice<Likeness>
          label={`Kind of beta-likeness of ${column}`}
          value={models.likeness}
          values={kLikenesses}
          nameOf={(it) => kLikenessNames[it]}
          onChange={(likeness) => set({likeness})}
        />
        <Threshold
          label={`Delta of ${column}`}
          value={models.delta}
          onInput={(delta) => set({delta})}
          hint="No value becomes much more frequent or much rarer. With 1 its share is more than half and less than double."
        />
      </div>
    </details>
  );
}
