// Which roles may ask.
import {useState} from "preact/hooks";
import {api} from "../../api.js";
import {formOf, withFormOf} from "../../protect/flow.js";
import {records} from "../../table.js";
import {Button, Card, Chip, Field, useLoaded} from "../../ui.js";
import type {StepProps} from "./flow.js";

const kSuggested = 30;

export function ReadersStep({flow, change}: StepProps) {
  const form = formOf(flow);
  const users = useLoaded("users", () => api.show("users"));
  const [typed, setTyped] = useState("");
  const [error, setError] = useState("");
  if (!form) return null;
  const known = users.value ? records(users.value).flatMap(it => it["name"] ?? []) : [];
  const others = known.filter(it => !form.readers.includes(it));
  const put = (readers: string[]) => change(was => withFormOf(was, {...form, readers, usesGrants: false}));
  const add = (role: string) => {
    const name = role.trim();
    if (name === "") return;
    if (name === "public") {
      setError("public is not a role. Name the roles one by one, or use PostgreSQL's grants.");
      return;
    }
    setError("");
    setTyped("");
    if (!form.readers.includes(name)) put([...form.readers, name]);
  };
  const isListed = !form.usesGrants;
  return (
    <>
      <h2 tabIndex={-1}>Who may ask?</h2>
      <p class="lead">Everybody else is refused. Readers see masked rows only, whatever they ask.</p>
      <Card>
        <div class="reader-kinds" role="radiogroup" aria-label="Who may read">
          <label class={isListed ? "chosen" : ""}>
            <input type="radio" name="access" checked={isListed} onChange={() => put(form.readers)} />
            <span>
              <strong>These roles</strong>
              <span class="hint">You list them here.</span>
            </span>
          </label>
          <label class={isListed ? "" : "chosen"}>
            <input
              type="radio"
              name="access"
              checked={!isListed}
              onChange={() => change(was => withFormOf(was, {...form, readers: [], usesGrants: true}))}
            />
            <span>
              <strong>Whoever may read the table in PostgreSQL</strong>
              <span class="hint">PostgreSQL's own grants decide, and they see masked rows.</span>
            </span>
          </label>
        </div>
        {isListed ? (
          <>
            {form.readers.length > 0 ? (
              <ul class="reader-list" aria-label="Readers">
                {form.readers.map(it => (
                  <li key={it}>
                    <Chip name={it} onRemove={() => put(form.readers.filter(of => of !== it))}>{it}</Chip>
                  </li>
                ))}
              </ul>
            ) : (
              <p class="note warn">
                No role may read the table yet. You can apply the policy and add readers later.
              </p>
            )}
            <form
              class="add-reader"
              onSubmit={(event) => {
                event.preventDefault();
                add(typed);
              }}
            >
              <Field label="Add a role" error={error} hint="A role as clients log in with, spelled exactly.">
                <input value={typed} autocomplete="off" onInput={it => setTyped(it.currentTarget.value)} />
              </Field>
              <Button type="submit" kind="secondary" icon="plus">Add</Button>
            </form>
            {others.length > 0 ? (
              <p class="known-roles">
                <span class="hint">Roles that may log in:</span>
                {others.slice(0, kSuggested).map(it => (
                  <button type="button" class="chip" key={it} onClick={() => add(it)}>
                    {it}<span class="hidden">: add as a reader</span>
                  </button>
                ))}
              </p>
            ) : null}
          </>
        ) : null}
      </Card>
    </>
  );
}
