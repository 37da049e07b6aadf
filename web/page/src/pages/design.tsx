// A policy as YAML: checked as one types, tried out with another k. Nothing here is applied; the text is
// saved as a file.
import {useState} from "preact/hooks";
import {api, type DesignPolicy} from "../api.js";
import {CheckedText, useChecked} from "../checked-text.js";
import {drafts, kExample} from "../design.js";
import {saveText} from "../download.js";
import {readForm} from "../policy-text/form.js";
import {curveKeyOf, type KnownCurve} from "../protect/flow.js";
import {useCurve} from "../protect/use-curve.js";
import {Button, Trouble, useAction} from "../ui.js";
import {DesignColumns} from "./design-columns.js";
import {FileChoice, FileConflict, useWatched} from "./design-file.js";
import {KPanel} from "./protect/k.js";

/** Counts only when somebody asks for it: the text may be of a table that is not meant yet. */
function Trial({text, policy}: {text: string; policy: DesignPolicy}) {
  const [k, setK] = useState<number | null>(null);
  const [isOn, setOn] = useState(false);
  const [known, setKnown] = useState<KnownCurve>({key: "", points: new Map()});
  const wanted = k ?? policy.k;
  const reading = readForm(text, policy.name);
  const curve = useCurve(
    {key: curveKeyOf(text, policy.name), text, policy: policy.name, k: wanted, isReady: isOn},
    known,
    setKnown,
  );
  return (
    <section aria-labelledby="trial-title">
      <h2 id="trial-title">What if</h2>
      <p class="hint">
        This computes the trees that BUILD POLICY … FRESH would make from these columns, for several k. The
        table is counted once and the counts are kept for a few minutes. Only BUILD checks constraints on
        sensitive columns. The slider does not change the text.
      </p>
      {isOn ? (
        <KPanel
          k={wanted}
          curve={curve}
          priority={"form" in reading ? reading.form.priority : []}
          mistake={null}
          onChoose={setK}
        />
      ) : (
        <p class="actions">
          <Button onClick={() => setOn(true)}>Count the table</Button>
        </p>
      )}
    </section>
  );
}

/** The columns of one policy of the text, and what its k costs. */
function OnePolicy({text, policies, edit}: {
  text: string;
  policies: DesignPolicy[];
  edit: (text: string) => void;
}) {
  const [name, setName] = useState("");
  const policy = policies.find(it => it.name === name) ?? policies[0];
  if (!policy) return null;
  return (
    <>
      {policies.length > 1 ? (
        <label class="inline">
          Policy
          <select value={policy.name} onChange={it => setName(it.currentTarget.value)}>
            {policies.map(it => <option key={it.name} value={it.name}>{it.name}</option>)}
          </select>
        </label>
      ) : null}
      <DesignColumns key={`columns of ${policy.name}`} text={text} policy={policy} edit={edit} />
      <Trial key={`trial of ${policy.name}`} text={text} policy={policy} />
    </>
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
      {check && !error ? <OnePolicy text={text} policies={check.policies} edit={edit} /> : null}
    </section>
  );
}
