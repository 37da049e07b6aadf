// What will be written, then Apply, Build and Undo. Each can fail by itself, and says what is there now.
import {useEffect, useRef, useState} from "preact/hooks";
import {useChecked} from "../../checked-text.js";
import {lineDiff} from "../../conflict.js";
import {saveText} from "../../download.js";
import {protectApi, type MissingRight, type PlannedApply} from "../../protect/api.js";
import {fileConflictOf, type FileConflictNow} from "../../protect/applying.js";
import {isChanged, type Base, type Flow} from "../../protect/flow.js";
import {Badge, Button, Card, Dialog, Skeleton, Trouble, useAction, useToast} from "../../ui.js";
import {counted} from "../../ui/format.js";
import {FileConflict} from "../design-file.js";
import {Building} from "./building.js";
import {CopyText} from "./copy-text.js";
import type {Change, StepProps} from "./flow.js";
import {PasswordForm} from "./password.js";
import {fileNameOf} from "./yaml-pane.js";

const kMostLines = 400;

function Diff({base, text}: {base: Base; text: string}) {
  const lines = lineDiff(base.yaml, text);
  const isNew = base.tag === null;
  if (lines.length === 0) return <p class="hint">Nothing differs from {base.name} as it is.</p>;
  const shown = isNew
    ? text.replace(/\n$/, "").split("\n").map((it, at) => ({kind: "new" as const, line: at + 1, text: it}))
    : lines;
  return (
    <details open={shown.length <= 40}>
      <summary>
        {isNew ? `${base.name} is a new file` : `${counted(lines.length, "line")} of ${base.name} change`}
      </summary>
      <pre class="diff" tabIndex={0} aria-label={`What will be written to ${base.name}`}>
        {shown.slice(0, kMostLines).map(it => (
          <span key={`${it.kind} ${it.line} ${it.text}`} class={it.kind}>
            {it.kind === "gone" ? "- " : "+ "}
            {it.text}
            {"\n"}
          </span>
        ))}
        {shown.length > kMostLines ? <span>{`… and ${shown.length - kMostLines} more lines`}</span> : null}
      </pre>
    </details>
  );
}

/** onAgain: looks again whether they are missing; null: that would tell nothing new. */
function Missing({missing, onAgain}: {missing: MissingRight[]; onAgain: (() => void) | null}) {
  if (missing.length === 0) return null;
  return (
    <div class="note warn">
      <p>
        <strong>Rights are missing.</strong> The policy can be applied, but building it or asking it fails
        until the owner of the database runs:
      </p>
      <ul>{missing.map(it => <li key={it.sql}>{it.database}: {it.what}</li>)}</ul>
      <CopyText text={missing.map(it => it.sql).join("\n")} label="the SQL that grants the rights" />
      {onAgain ? <p class="actions"><Button onClick={onAgain}>Check again</Button></p> : null}
    </div>
  );
}

function Plan({flow, plan, onAgain}: {flow: Flow; plan: PlannedApply; onAgain: () => void}) {
  return (
    <>
      {plan.errors.map(it => (
        <p class="trouble" key={`${it.line} ${it.message}`}>
          <strong>{it.line === null ? "" : `Line ${it.line}: `}{it.message}</strong>
        </p>
      ))}
      {plan.removed.length > 0 ? (
        <p class="note warn">
          The text no longer has the policies {plan.removed.join(", ")}. Their readers will be refused.
        </p>
      ) : null}
      {plan.shows_more.length > 0 ? (
        <div class="note warn">
          <p><strong>Readers will see more than before.</strong></p>
          <ul>{plan.shows_more.map(it => <li key={it}>{it}</li>)}</ul>
        </div>
      ) : null}
      {plan.warnings.map(it => <p class="note" key={it}>{it}</p>)}
      <Missing missing={plan.missing} onAgain={onAgain} />
      <Diff base={flow.base} text={flow.text} />
    </>
  );
}

/** For roles that may not apply: everything is ready for somebody who may. */
function ForSomebodyElse({flow}: {flow: Flow}) {
  const file = fileNameOf(flow.base.name);
  return (
    <Card title="Hand it over">
      <p>
        You may not apply policies here. Roles in <code>admin.http.policy_authors</code> of the configuration
        may. Save the file and put it into the configuration's folder as <code>{flow.base.name}</code>. Then
        run two commands on the admin console, which is the database <code>pgveil</code> on pgveil's port:
      </p>
      <CopyText text={`RELOAD;\nBUILD POLICY ${flow.policy};`} label="the two commands" />
      <p class="actions">
        <Button kind="primary" icon="download" onClick={() => saveText(file, flow.text)}>Save {file}</Button>
      </p>
    </Card>
  );
}

function Undo({flow, change}: {flow: Flow; change: Change}) {
  const [isOpen, setOpen] = useState(false);
  const [conflict, setConflict] = useState(false);
  const toast = useToast();
  const secret = useRef("");
  const applied = flow.applied;
  const undo = useAction(async () => {
    if (!applied) return;
    const password = secret.current;
    secret.current = "";
    try {
      const done = await protectApi.undo(applied.answer.undo, password);
      change(was => ({
        ...was,
        base: {...applied.before, tag: done.file.tag},
        applied: null,
        toBuild: done.policies.filter(it => it.needs_build).map(it => it.name),
      }));
      setOpen(false);
      toast(`${flow.base.name} is as it was before.`, "good");
    } catch (thrown) {
      setConflict(fileConflictOf(thrown) !== null);
      throw thrown;
    }
  });
  if (!applied) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Undo</Button>
      {isOpen ? (
        <Dialog title="Undo this change" onClose={() => setOpen(false)}>
          <p>
            {applied.before.tag === null
              ? `${flow.base.name} is removed again, and readers of ${flow.policy} are refused.`
              : `${flow.base.name} gets its former text back. It may have to be built again.`}
          </p>
          <PasswordForm
            button="Undo"
            kind="danger"
            isBusy={undo.isBusy}
            onSend={(password) => {
              secret.current = password;
              undo.run();
            }}
          />
          <Trouble problem={undo.problem}>
            {conflict ? (
              <span class="hint">Somebody changed the file after you. Nothing was undone.</span>
            ) : null}
          </Trouble>
        </Dialog>
      ) : null}
    </>
  );
}

function titleOf(flow: Flow): string {
  if (isChanged(flow)) return "Apply the policy";
  return flow.toBuild.length > 0 ? "Build the policy" : "The policy is applied";
}

export function ApplyStep({flow, change, mayApply, startAgain}: StepProps & {
  mayApply: boolean;
  startAgain: () => void;
}) {
  const toast = useToast();
  const secret = useRef("");
  const [conflict, setConflict] = useState<FileConflictNow | null>(null);
  const [appliedHere, setAppliedHere] = useState("");
  const needsApply = isChanged(flow);
  const {check: plan, problem, again} = useChecked(
    `${flow.base.tag ?? ""}\n${flow.text}`, () => protectApi.check(flow.base.name, flow.text, flow.base.tag));
  useEffect(() => setConflict(null), [flow.base]);
  const apply = useAction(async () => {
    const password = secret.current;
    secret.current = "";
    const [text, before] = [flow.text, flow.base];
    try {
      const answer = await protectApi.apply(before.name, text, before.tag, password);
      setAppliedHere(answer.undo);
      change(was => ({
        ...was,
        base: {name: answer.file.name, tag: answer.file.tag, yaml: text},
        applied: {answer, before},
        toBuild: answer.policies.filter(it => it.needs_build).map(it => it.name),
      }));
      toast(`${before.name} is written and loaded.`, "good");
    } catch (thrown) {
      const now = fileConflictOf(thrown);
      if (now) setConflict(now);
      throw thrown;
    }
  });
  const isConflict = conflict !== null;
  return (
    <>
      <h2 tabIndex={-1}>{titleOf(flow)}</h2>
      <p class="lead">
        Apply writes the file and loads it. Build then counts the table and decides what is shown. Until that
        is done, readers of the table are refused.
      </p>
      {flow.typed !== null && flow.typed !== flow.text ? (
        <p class="actions">
          <Button onClick={() => change(was => ({...was, text: was.typed ?? was.text, typed: was.text}))}>
            Back to what I typed
          </Button>
        </p>
      ) : null}
      {needsApply ? (
        <Card
          title="What will be written"
          actions={plan && plan.errors.length === 0 ? <Badge tone="good">checked</Badge> : undefined}
        >
          {plan ? <Plan flow={flow} plan={plan} onAgain={again} /> : problem ? null : <Skeleton lines={5} />}
          <Trouble problem={problem}>
            {" "}
            <Button onClick={again}>Try again</Button>
          </Trouble>
          {isConflict ? (
            <FileConflict
              watched={{
                base: {...flow.base, tag: flow.base.tag ?? ""},
                theirs: conflict.now ?? {name: flow.base.name, tag: "", yaml: ""},
                open: ({name, tag, yaml}) =>
                  change(was => ({...was, base: {name, tag: tag === "" ? null : tag, yaml}})),
              }}
              text={flow.text}
              edit={text => change(was => ({...was, text, typed: was.text}))}
            />
          ) : null}
          {mayApply && !isConflict ? (
            <PasswordForm
              button="Apply"
              isBusy={apply.isBusy}
              isDisabled={!plan || plan.errors.length > 0}
              hint="The audit log records who applied what."
              onSend={(password) => {
                secret.current = password;
                apply.run();
              }}
            />
          ) : null}
          <Trouble problem={isConflict ? null : apply.problem}>
            {apply.problem?.status === 0 ? (
              <>
                <span class="hint">
                  It is not known whether the file was written. Look at what is there now; what you set up
                  here is kept until you do.
                </span>
                <Button onClick={startAgain}>Look at what is there now</Button>
              </>
            ) : null}
          </Trouble>
        </Card>
      ) : null}
      {!needsApply && flow.applied ? (
        <Card title="Applied" actions={<Undo flow={flow} change={change} />}>
          <p>
            <code>{flow.base.name}</code> is written and loaded.
          </p>
          {flow.applied.answer.warnings.map(it => <p class="note" key={it}>{it}</p>)}
          <Missing missing={flow.applied.answer.missing} onAgain={null} />
        </Card>
      ) : null}
      {!needsApply ? <Building flow={flow} change={change} appliedHere={appliedHere} /> : null}
      {needsApply && !mayApply ? <ForSomebodyElse flow={flow} /> : null}
    </>
  );
}
