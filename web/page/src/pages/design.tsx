// A policy as YAML: checked as one types, tried out with another k. Nothing here is applied; the text is
// saved as a file.
import {useEffect, useRef, useState} from "preact/hooks";
import {api, type DesignPolicy, type WhatIf} from "../api.js";
import {CheckedText, useChecked} from "../checked-text.js";
import {classesFor, drafts, kExample} from "../design.js";
import {saveText} from "../download.js";
import {isClass} from "../policy-text/form.js";
import {withClass} from "../policy-text/write.js";
import {count, percent} from "../table.js";
import {Trouble, useAction} from "../ui.js";
import {meanError, ofMillion} from "../utility.js";
import {Answers} from "./answers.js";
import {ColumnsInDatabase} from "./design-columns.js";
import {FileChoice, FileConflict, useWatched} from "./design-file.js";
import {Figures, Shares} from "./policy.js";

const kMaxSlider = 100;

function Comparison({tried}: {tried: WhatIf[]}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Trials">
      <table>
        <caption>Trials, newest first</caption>
        <thead>
          <tr>
            <th scope="col">policy</th>
            <th scope="col" class="number">
              k
            </th>
            <th scope="col" class="number">
              cohorts
            </th>
            <th scope="col" class="number">
              smallest
            </th>
            <th scope="col" class="number">
              cells shown
            </th>
            <th scope="col" class="number">
              mean error
            </th>
            <th scope="col" class="number">
              computable
            </th>
            <th scope="col" class="number">
              equal
            </th>
          </tr>
        </thead>
        <tbody>
          {tried.map(({policy, k, disclosure, utility}) => (
            <tr key={`${policy} ${k}`}>
              <td>{policy}</td>
              <td class="number">{k}</td>
              <td class="number">{count(disclosure.cohorts)}</td>
              <td class="number">{count(disclosure.smallest_cohort)}</td>
              <td class="number">{percent(disclosure.disclosed, disclosure.cells)}</td>
              <td class="number">{ofMillion(meanError(utility) ?? 0)}</td>
              <td class="number">{percent(disclosure.computable, disclosure.cells)}</td>
              <td class="number">{percent(disclosure.equal, disclosure.cells)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Trial({text, policies}: {text: string; policies: DesignPolicy[]}) {
  const [name, setName] = useState("");
  const [k, setK] = useState<number | null>(null);
  const [tried, setTried] = useState<WhatIf[]>([]);
  const policy = policies.find(it => it.name === name) ?? policies[0];
  const wanted = k ?? policy?.k ?? 2;
  const asked = useRef<AbortController | null>(null);
  useEffect(() => () => asked.current?.abort(), []); // whoever leaves the page does not wait
  const action = useAction(async () => {
    if (!policy) return;
    asked.current = new AbortController();
    const result = await api.whatIf(text, policy.name, wanted, asked.current.signal);
    setTried((was) =>
      [result, ...was.filter((it) => it.policy !== result.policy || it.k !== result.k)].slice(0, 12),
    );
  });
  if (!policy) return null;
  const latest = tried[0];
  return (
    <section aria-labelledby="trial-title">
      <h2 id="trial-title">What if</h2>
      <p class="hint">
        This computes the tree that BUILD POLICY … FRESH would make from these columns. The table is counted
        once and the counts are kept for a few minutes, so you get an answer at once for another k or fewer
        quasi-identifiers. Only BUILD checks constraints on sensitive columns.
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          action.run();
        }}
      >
        <label>
          Policy
          <select
            value={policy.name}
            onChange={(it) => {
              setName(it.currentTarget.value);
              setK(null);
            }}
          >
            {policies.map((it) => (
              <option key={it.name} value={it.name}>
                {it.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          k
          <input
            type="number"
            min={2}
            max={9007199254740991}
            step={1}
            required
            value={wanted}
            onInput={(it) => setK(Number(it.currentTarget.value))}
          />
        </label>
        <label class="wide">
          <span class="hidden">k, by slider</span>
          <input
            type="range"
            min={2}
            max={Math.max(kMaxSlider, policy.k)}
            value={Math.min(wanted, Math.max(kMaxSlider, policy.k))}
            onInput={(it) => setK(Number(it.currentTarget.value))}
            onChange={action.run}
          />
        </label>
        <button type="submit" disabled={action.isBusy}>
          {action.isBusy ? "counting …" : "Try"}
        </button>
        {action.isBusy ? (
          <button type="button" onClick={() => asked.current?.abort()}>
            Cancel
          </button>
        ) : null}
      </form>
      <Trouble problem={action.problem} />
      <div role="status">
        {latest ? <Figures disclosure={latest.disclosure} utility={latest.utility} k={latest.k} /> : null}
      </div>
      {latest ? <Shares attributes={latest.attributes} disclosure={latest.disclosure} /> : null}
      {latest ? <Answers utility={latest.utility} /> : null}
      {tried.length > 1 ? <Comparison tried={tried} /> : null}
    </section>
  );
}

function Classes({text, policy, edit}: {text: string; policy: DesignPolicy; edit: (text: string) => void}) {
  return (
    <fieldset>
      <legend>Columns of {policy.name}</legend>
      {policy.columns.map(column => (
        <label key={column.name}>
          {column.name}
          <select
            aria-label={`Class of ${column.name}`}
            value={column.class}
            disabled={withClass(text, policy.name, column.name, "identifier") === null}
            onChange={(it) => {
              const own = it.currentTarget.value;
              const next = isClass(own) ? withClass(text, policy.name, column.name, own) : null;
              if (next !== null) edit(next);
            }}
          >
            {classesFor(column.class).map((it) => (
              <option key={it} value={it}>
                {it.replaceAll("_", " ")}
              </option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  );
}

export function Design() {
  const [text, setText] = useState(drafts.read() || kExample);
  const {check, problem} = useChecked(text, () => api.checkDesign(text));
  const error = check?.error ?? null;
  const watched = useWatched(text);
  const [typed, setTyped] = useState<string | null>(null);
  const edit = (next: string) => {
    drafts.write(next);
    setText(next);
  };
  /** Another text in the place of what was typed, which can be had back. */
  const replace = (next: string) => {
    if (next !== text) setTyped(text);
    edit(next);
  };
  // A file that can't be looked at now is no reason to keep a text from being saved.
  const save = useAction(async () => {
    if (await watched.isSame().catch(() => true)) saveText("policies.yaml", text);
  });
  return (
    <section>
      <h1>Policy editor</h1>
      <p class="hint">
        Nothing here is applied. To apply a policy, save the text in the configuration's policy folder, then
        RELOAD and BUILD.
      </p>
      <CheckedText
        id="yaml"
        label="Policies (YAML)"
        rows={18}
        text={text}
        mistake={error ? {place: error, message: error.message, hint: ""} : null}
        onInput={edit}
      >
        {check && !error ? (
          <p class="fine">
            {check.policies.length === 1 ? "One policy" : `${check.policies.length} policies`}, no mistake
            found.
          </p>
        ) : null}
      </CheckedText>
      <Trouble problem={problem} />
      <p class="actions">
        <button type="button" disabled={save.isBusy} onClick={save.run}>
          Save as a file
        </button>
        <label class="file">
          Open a file{" "}
          <input
            type="file"
            accept=".yaml,.yml,application/yaml"
            onChange={(it) => {
              void it.currentTarget.files?.[0]?.text().then(replace);
            }}
          />
        </label>
        <FileChoice
          onOpen={(base) => {
            replace(base.yaml);
            watched.open(base);
          }}
        />
        {typed !== null && typed !== text ? (
          <button type="button" onClick={() => replace(typed)}>
            Back to what I typed
          </button>
        ) : null}
      </p>
      {watched.base ? (
        <p class="hint">
          Began as {watched.base.name}. The page checks that file while you work, because others may change
          it.
        </p>
      ) : null}
      <FileConflict watched={watched} text={text} edit={replace} />
      {check && !error
        ? check.policies.map((it) => <Classes key={it.name} text={text} policy={it} edit={edit} />)
        : null}
      {check && !error
        ? check.policies.map((it) => <ColumnsInDatabase key={it.name} text={text} policy={it} edit={edit} />)
        : null}
      {check && !error ? <Trial text={text} policies={check.policies} /> : null}
    </section>
  );
}
