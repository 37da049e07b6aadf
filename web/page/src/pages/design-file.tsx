// The file of the configuration that a design began as: opened, and watched for others' changes. What was
// typed is never lost.
import {useEffect, useRef, useState} from "preact/hooks";
import {api} from "../api.js";
import {lineDiff, merged} from "../conflict.js";
import {drafts, type Base} from "../design.js";
import {Trouble, useAction, useLoaded} from "../ui.js";

const kLookEveryMs = 5_000;

export interface Watched {
  base: Base | null;
  /** What is in the file now; null: what it was when it was opened. */
  theirs: Base | null;
  open: (base: Base) => void;
  /** False: somebody changed it, and `theirs` says what. */
  isSame: () => Promise<boolean>;
}

/** Looks at the file again when the window gets the focus, and now and then while somebody types. */
export function useWatched(text: string): Watched {
  const [base, setBase] = useState<Base | null>(drafts.base());
  const [theirs, setTheirs] = useState<Base | null>(null);
  const lookedAt = useRef(0);
  // Looks may be answered out of order. The answer to an older look than the one that was told is dropped.
  const looks = useRef({begun: 0, told: 0});
  const open = (of: Base) => {
    looks.current.told = looks.current.begun;
    drafts.begin(of);
    setBase(of);
    setTheirs(null);
  };
  const isSame = async () => {
    if (!base) return true;
    lookedAt.current = Date.now();
    const look = ++looks.current.begun;
    const tell = (now: Base | null) => {
      if (look <= looks.current.told) return;
      looks.current.told = look;
      setTheirs(now);
    };
    const found = (await api.designFiles()).find(it => it.name === base.name);
    if (found?.tag === base.tag) {
      tell(null);
      return true;
    }
    if (theirs && theirs.tag === (found?.tag ?? "")) return false;
    tell(found ? await api.designFile(base.name) : {name: base.name, tag: "", yaml: ""});
    return false;
  };
  useEffect(() => {
    const look = () => {
      if (Date.now() - lookedAt.current >= kLookEveryMs) void isSame().catch(() => {});
    };
    look();
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [text, base]);
  return {base, theirs, open, isSame};
}

export function FileChoice({onOpen}: {onOpen: (base: Base) => void}) {
  const files = useLoaded("design files", api.designFiles);
  const [chosen, setChosen] = useState("");
  const name = chosen || (files.value?.[0]?.name ?? "");
  const action = useAction(async () => onOpen(await api.designFile(name)));
  if (!files.value || files.value.length === 0) return <Trouble problem={files.problem} />;
  return (
    <>
      <label class="file">
        Policy file
        <select value={name} onChange={it => setChosen(it.currentTarget.value)}>
          {files.value.map(it => <option key={it.name} value={it.name}>{it.name}</option>)}
        </select>
      </label>
      <button type="button" disabled={action.isBusy} onClick={action.run}>Open the policy file</button>
      <Trouble problem={action.problem} />
    </>
  );
}

export function FileConflict({
  watched,
  text,
  edit,
}: {
  watched: Pick<Watched, "base" | "theirs" | "open">;
  text: string;
  edit: (text: string) => void;
}) {
  const {base, theirs, open} = watched;
  if (!base || !theirs) return null;
  const both = theirs.tag === "" ? null : merged(base.yaml, text, theirs.yaml);
  const go = (next: string) => {
    edit(next);
    open(theirs);
  };
  return (
    <section class="conflict" aria-labelledby="file-conflict-title">
      <div role="alert">
        <h2 id="file-conflict-title">
          {theirs.tag === ""
            ? `${base.name} was removed since you opened it`
            : `Somebody changed ${base.name} since you opened it`}
        </h2>
      </div>
      {theirs.tag === "" ? null : (
        <pre tabIndex={0} aria-label="What they changed">
          {lineDiff(base.yaml, theirs.yaml)
            .map((it) => `${it.kind === "gone" ? "-" : "+"} ${it.text}\n`)
            .join("")}
        </pre>
      )}
      <p class="actions">
        {both !== null ? (
          <button type="button" onClick={() => go(both)}>
            Take both changes together
          </button>
        ) : null}
        <button type="button" onClick={() => go(text)}>
          Keep mine
        </button>
        {theirs.tag === "" ? null : (
          <button type="button" onClick={() => go(theirs.yaml)}>
            Take theirs
          </button>
        )}
      </p>
      <p class="hint">
        Nothing that you typed is lost. After taking theirs, use “Back to what I typed” to restore it.
      </p>
    </section>
  );
}
