// Cohorts by size, and a list of them and of the rules that can be searched. Both come from the tree that the
// page has, so 50,000 of them take no further request.
import {useMemo, useState} from "preact/hooks";
import {predicate, type Part} from "../../icicle.js";
import {cohortFits, conditionsOf, sizeBuckets, type Cohort, type Release} from "../../policy/release.js";
import {count} from "../../ui/format.js";
import {Card, Histogram, Paged} from "../../ui.js";

function bucketName(from: number, to: number): string {
  if (to === from) return count(from);
  return to === Infinity ? `${count(from)} +` : `${count(from)}–${count(to)}`;
}

export function CohortSizes({cohorts, k}: {cohorts: readonly Cohort[]; k: number}) {
  const buckets = sizeBuckets(cohorts, k);
  return (
    <Card title="Sizes of cohorts">
      <p class="hint">No cohort has fewer than k = {count(k)} units. Many small cohorts mean fine detail.</p>
      <Histogram
        label="Cohorts by size"
        xTitle="units in a cohort"
        yTitle="cohorts"
        bins={buckets.map(it => ({label: bucketName(it.from, it.to), counts: [it.cohorts]}))}
      />
    </Card>
  );
}

export function CohortList({parts, cohorts}: {parts: readonly Part[]; cohorts: readonly Cohort[]}) {
  const [words, setWords] = useState("");
  const bySize = useMemo(() => [...cohorts].sort((a, b) => a.units - b.units), [cohorts]);
  const found = useMemo(
    () => (words.trim() === "" ? bySize : bySize.filter(it => cohortFits(parts, it, words.trim()))),
    [bySize, words, parts],
  );
  return (
    <Card title="Cohorts, the smallest first">
      <label class="filter">
        Search{" "}
        <input
          type="search"
          placeholder="a value or a column"
          value={words}
          onInput={it => setWords(it.currentTarget.value)}
        />
      </label>
      <Paged key={words} items={found} name="cohort">
        {page => (
          <div class="scroll" tabIndex={0} role="region" aria-label="Cohorts">
            <table>
              <caption class="hidden">Cohorts</caption>
              <thead>
                <tr>
                  <th scope="col">rows where</th>
                  <th scope="col">shows</th>
                  <th scope="col" class="number">units</th>
                  <th scope="col" class="number">rows</th>
                </tr>
              </thead>
              <tbody>
                {page.map(cohort => (
                  <tr key={cohort.part}>
                    <td><span class="clamp">{predicate(parts, cohort.part)}</span></td>
                    <td>{cohort.shows.join(", ") || "nothing"}</td>
                    <td class="number">{count(cohort.units)}</td>
                    <td class="number">{count(cohort.rows)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Paged>
    </Card>
  );
}

export function Rules({parts, attributes, release}: {
  parts: readonly Part[];
  attributes: readonly string[];
  release: Release;
}) {
  const [column, setColumn] = useState(attributes[0] ?? "");
  const [words, setWords] = useState("");
  const rules = useMemo(() => {
    const all = conditionsOf(parts, column).sort((a, b) => b.rows - a.rows);
    const wanted = words.trim().toLowerCase();
    return wanted === "" ? all : all.filter(it => predicate(parts, it.index).toLowerCase().includes(wanted));
  }, [parts, column, words]);
  return (
    <Card title="Rules: when a column is shown">
      <div class="row">
        <label>
          Column
          <select value={column} onChange={it => setColumn(it.currentTarget.value)}>
            {attributes.map(it => <option key={it} value={it}>{it}</option>)}
          </select>
        </label>
        <label>
          Search
          <input
            type="search"
            placeholder="a value"
            value={words}
            onInput={it => setWords(it.currentTarget.value)}
          />
        </label>
      </div>
      {rules.length === 0 ? (
        <p>{words.trim() === "" ? `No split of the tree shows ${column}.` : "No rule has this text."}</p>
      ) : null}
      <Paged key={`${column} ${words}`} items={rules} name="rule">
        {page => (
          <div class="scroll" tabIndex={0} role="region" aria-label="Rules">
            <table>
              <caption class="hidden">Rules</caption>
              <thead>
                <tr>
                  <th scope="col">{column} is shown where</th>
                  <th scope="col" class="number">rows</th>
                </tr>
              </thead>
              <tbody>
                {page.map(rule => (
                  <tr key={rule.index}>
                    <td><span class="clamp">{predicate(parts, rule.index)}</span></td>
                    <td class="number">{count(release.rowsShown(rule.index, column))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Paged>
    </Card>
  );
}
