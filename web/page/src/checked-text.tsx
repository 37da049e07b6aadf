// A text that pgveil reads as one types: its first mistake stands below it, with its place.
import type {ComponentChildren} from "preact";
import {useEffect, useRef, useState} from "preact/hooks";
import type {Problem} from "./api.js";
import {lineAt, offsetOf} from "./design.js";
import {problemFrom} from "./ui.js";

const kTypingMs = 300;

export interface Checking<T> {
  /** The latest answer: while one types, that to an earlier text. */
  check: T | null;
  problem: Problem | null;
  again: () => void;
}

/** Asks when the key has rested for a moment; the answer to an older key is dropped. */
export function useChecked<T>(key: string, ask: () => Promise<T>): Checking<T> {
  const [state, setState] = useState<{check: T | null; problem: Problem | null}>({
    check: null,
    problem: null,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      latest.current().then(
        check => isCurrent && setState({check, problem: null}),
        (thrown: unknown) => isCurrent && setState({check: null, problem: problemFrom(thrown)}));
    }, kTypingMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, turn]);
  return {...state, again: () => setTurn(it => it + 1)};
}

export interface Mistake {
  /** Null: it is of the whole text. */
  place: {line: number; column: number} | null;
  message: string;
  hint: string;
}

/** takesFocus: when it comes. children: what is said when there is no mistake. */
export function CheckedText({
  id,
  label,
  rows,
  text,
  mistake,
  takesFocus,
  children,
  onInput,
}: {
  id: string;
  label: string;
  rows: number;
  text: string;
  mistake: Mistake | null;
  takesFocus?: boolean;
  children?: ComponentChildren;
  onInput: (text: string) => void;
}) {
  const editor = useRef<HTMLTextAreaElement>(null);
  const place = mistake?.place ?? null;
  useEffect(() => {
    if (takesFocus) editor.current?.focus();
  }, []);
  const goTo = () => {
    if (!place || !editor.current) return;
    const at = offsetOf(text, place.line, place.column);
    editor.current.focus();
    editor.current.setSelectionRange(at, at);
  };
  return (
    <>
      <label for={id}>{label}</label>
      <textarea
        id={id}
        ref={editor}
        class="code"
        rows={rows}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={mistake !== null}
        aria-describedby={`${id}-check`}
        value={text}
        onInput={(it) => onInput(it.currentTarget.value)}
      />
      <div id={`${id}-check`} role="status">
        {mistake ? (
          <p class="trouble">
            {place ? `Line ${place.line}, column ${place.column}: ` : ""}
            {mistake.message}{" "}
            {place ? (
              <button type="button" onClick={goTo}>
                Go there
              </button>
            ) : null}
            {mistake.hint ? <span class="hint">{mistake.hint}</span> : null}
            {place ? <code class="line">{lineAt(text, place.line)}</code> : null}
          </p>
        ) : (
          children
        )}
      </div>
    </>
  );
}
