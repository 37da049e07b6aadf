// The steps of protecting one table. One can always go back; the YAML stands beside every step.
import {useCallback, useEffect, useRef, useState} from "preact/hooks";
import {api} from "../../api.js";
import {
  barrier,
  formOf,
  isChanged,
  keptFlows,
  kSteps,
  newFlow,
  openFlow,
  readingOf,
  stateNow,
  type Flow,
  type Step,
} from "../../protect/flow.js";
import {protectApi} from "../../protect/api.js";
import {Badge, Button, ButtonLink, EmptyState, PageHeader, Skeleton, Trouble, useLoaded} from "../../ui.js";
import {count} from "../../ui/format.js";
import {stateWords} from "../../protect/tables.js";
import {ApplyStep} from "./apply.js";
import {ColumnsStep} from "./columns.js";
import {ConnectStep} from "./connect.js";
import {KStep} from "./k.js";
import {PreviewStep} from "./preview.js";
import {ReadersStep} from "./readers.js";
import {Unreadable, YamlPane} from "./yaml-pane.js";

export type Change = (change: (flow: Flow) => Flow) => void;

export interface StepProps {
  flow: Flow;
  change: Change;
}

const kTitles: Record<Step, string> = {
  columns: "Columns",
  k: "Group size",
  preview: "Preview",
  readers: "Readers",
  apply: "Apply",
  connect: "Connect",
};

async function load(database: string, table: string, isFresh: boolean): Promise<Flow | null> {
  const kept = keptFlows.read(database, table);
  if (kept && !isFresh) return kept;
  const found = await protectApi.tables(database);
  const entry = found.tables.find(it => it.table === table);
  if (!entry) return null;
  const columns = await protectApi.draft(database, table);
  const policy = entry.policies[0];
  if (!policy) {
    const taken = found.tables.flatMap(it => it.policies.map(of => of.name));
    return newFlow(database, entry, columns, found.policy_folder ?? "policies", taken);
  }
  const state = await api.state(policy.name);
  const file = await api.designFile(state.file);
  return openFlow(database, entry, columns, policy.name, file);
}

function Stepper({flow, go}: {flow: Flow; go: (step: Step) => void}) {
  const here = kSteps.indexOf(flow.step);
  return (
    <nav class="stepper" aria-label="Steps">
      <ol>
        {kSteps.map((step, at) => {
          const reason = barrier(flow, step);
          return (
            <li key={step} class={at < here ? "done" : at === here ? "here" : ""}>
              <button
                type="button"
                aria-current={at === here ? "step" : undefined}
                disabled={reason !== null}
                title={reason ?? undefined}
                onClick={() => go(step)}
              >
                <span class="step-number" aria-hidden="true">{at + 1}</span>
                <span class="step-title">{kTitles[step]}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function StepBody({flow, change, showsRaw, mayApply, startAgain}: StepProps & {
  showsRaw: boolean;
  mayApply: boolean;
  startAgain: () => void;
}) {
  const reading = readingOf(flow);
  const needsForm = flow.step === "columns" || flow.step === "k" || flow.step === "readers";
  if (needsForm && "reason" in reading) return <Unreadable flow={flow} reading={reading} />;
  switch (flow.step) {
    case "columns":
      return <ColumnsStep flow={flow} change={change} />;
    case "k":
      return <KStep flow={flow} change={change} />;
    case "preview":
      return <PreviewStep flow={flow} showsRaw={showsRaw} />;
    case "readers":
      return <ReadersStep flow={flow} change={change} />;
    case "apply":
      return <ApplyStep flow={flow} change={change} mayApply={mayApply} startAgain={startAgain} />;
    case "connect":
      return <ConnectStep flow={flow} />;
  }
}

function Steps({start, showsRaw, mayApply, startAgain}: {
  start: Flow;
  showsRaw: boolean;
  mayApply: boolean;
  startAgain: () => void;
}) {
  const [flow, setFlow] = useState(start);
  const latest = useRef(start);
  const change = useCallback<Change>((how) => {
    latest.current = how(latest.current);
    keptFlows.write(latest.current);
    setFlow(latest.current);
  }, []);
  const [showsYaml, setShowsYaml] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  const hasMoved = useRef(false);
  const go = (step: Step) => {
    hasMoved.current = true;
    change(was => ({...was, step}));
  };
  useEffect(() => {
    if (!hasMoved.current) return;
    panel.current?.querySelector<HTMLElement>("h2")?.focus();
    scrollTo({top: 0});
  }, [flow.step]);
  const at = kSteps.indexOf(flow.step);
  const [before, after] = [kSteps[at - 1], kSteps[at + 1]];
  const state = stateWords(stateNow(flow));
  const form = formOf(flow);
  return (
    <section class="protect">
      <PageHeader
        crumbs={[{title: "Protect a table", href: "#/protect"}]}
        title={flow.table.table}
        lead={
          <>
            {flow.table.rows === null ? "" : `About ${count(flow.table.rows)} rows. `}
            {count(flow.columns.columns.length)} columns
            {form ? `, k = ${form.k}` : ""} · <code>{flow.base.name}</code>{" "}
            <Badge tone={state.tone}>{state.words}</Badge>
          </>
        }
        actions={
          <Button icon="edit" aria-pressed={showsYaml} onClick={() => setShowsYaml(it => !it)}>
            {showsYaml ? "Hide the YAML" : "Show the YAML"}
          </Button>
        }
      />
      <Stepper flow={flow} go={go} />
      <div class={showsYaml ? "flow-body with-yaml" : "flow-body"}>
        <div class="flow-step" ref={panel}>
          <StepBody {...{flow, change, showsRaw, mayApply, startAgain}} />
          <p class="flow-moves">
            {before ? (
              <Button icon="left" onClick={() => go(before)}>{kTitles[before]}</Button>
            ) : (
              <ButtonLink href="#/protect">All tables</ButtonLink>
            )}
            {after && barrier(flow, after) === null ? (
              <Button
                kind={flow.step === "apply" && isChanged(flow) ? "secondary" : "primary"}
                onClick={() => go(after)}
              >
                Next: {kTitles[after]}
              </Button>
            ) : null}
          </p>
        </div>
        {showsYaml ? <YamlPane flow={flow} change={change} onClose={() => setShowsYaml(false)} /> : null}
      </div>
    </section>
  );
}

export function FlowPage({database, table, showsRaw, mayApply}: {
  database: string;
  table: string;
  showsRaw: boolean;
  mayApply: boolean;
}) {
  const [turn, setTurn] = useState(0);
  const {value, problem, isBusy, again} = useLoaded(`flow ${database} ${table} ${turn}`, () =>
    load(database, table, turn > 0),
  );
  const startAgain = () => {
    keptFlows.drop(database, table);
    setTurn(it => it + 1);
  };
  if (value)
    return <Steps key={turn} start={value} showsRaw={showsRaw} mayApply={mayApply} startAgain={startAgain} />;
  return (
    <section class="protect">
      <PageHeader crumbs={[{title: "Protect a table", href: "#/protect"}]} title={table} />
      {isBusy ? <Skeleton lines={8} /> : null}
      <Trouble problem={problem}>
        {" "}
        <Button onClick={again}>Try again</Button>
      </Trouble>
      {!isBusy && !problem ? (
        <EmptyState
          title={`The database ${database} has no table ${table}`}
          text="It may have been dropped or renamed."
          action={<ButtonLink href="#/protect">All tables</ButtonLink>}
        />
      ) : null}
    </section>
  );
}
