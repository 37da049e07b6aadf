// The end of the audit log, filtered.
import {useState} from "preact/hooks";
import {api, type AuditAnswer} from "../api.js";
import {auditTable} from "../audit.js";
import {Grid, Trouble, useAction} from "../ui.js";

const kEvents = [
  "login",
  "logout",
  "statement",
  "answer",
  "command",
  "command_end",
  "policy_published",
  "policy_withdrawn",
  "reload",
  "start",
  "stop",
];
const kVerdicts = ["let in", "refused", "open", "masked", "exempt", "bypass", "error", "done", "failed"];

function Any({
  label,
  value,
  values,
  onChange,
}: {
  label: string;
  value: string;
  values: string[];
  onChange: (value: string) => void;
}) {
  return (
    <label>
      {label}
      <select value={value} onChange={(it) => onChange(it.currentTarget.value)}>
        <option value="">any</option>
        {values.map((it) => (
          <option key={it} value={it}>
            {it}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Audit() {
  const [event, setEvent] = useState("");
  const [verdict, setVerdict] = useState("");
  const [role, setRole] = useState("");
  const [words, setWords] = useState("");
  const [answer, setAnswer] = useState<AuditAnswer | null>(null);
  const look = useAction(async () => setAnswer(await api.audit({event, verdict, role, text: words})));
  return (
    <section>
      <h1>Audit log</h1>
      <p class="hint">
        Logins, statements and commands, without values. Each search of this log is recorded too.
      </p>
      <form
        class="row"
        onSubmit={(it) => {
          it.preventDefault();
          look.run();
        }}
      >
        <Any label="Event" value={event} values={kEvents} onChange={setEvent} />
        <Any label="Verdict" value={verdict} values={kVerdicts} onChange={setVerdict} />
        <label>
          Role
          <input value={role} onInput={(it) => setRole(it.currentTarget.value)} />
        </label>
        <label>
          In the text
          <input value={words} onInput={(it) => setWords(it.currentTarget.value)} />
        </label>
        <button type="submit" disabled={look.isBusy}>
          {look.isBusy ? "searching …" : "Search"}
        </button>
      </form>
      <Trouble problem={look.problem} />
      <div role="status">
        {answer ? (
          <>
            <Grid
              caption="Events, newest first"
              table={auditTable(answer.events)}
              columns={auditTable([]).columns.map((key) => ({
                key,
                cell: (row) => row[key] ?? "",
              }))}
            />
            {answer.is_whole ? null : (
              <p class="hint">There are older events. This list has at most 200, from the last 4 MiB.</p>
            )}
          </>
        ) : null}
      </div>
    </section>
  );
}
