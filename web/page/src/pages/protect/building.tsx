// Builds what was applied, with its progress. Where an answer got lost, the server is asked how things stand.
import {useEffect, useRef, useState} from "preact/hooks";
import {api, type PolicyNow, type Problem} from "../../api.js";
import {useBuilds, type RunningBuild} from "../../builds.js";
import {changesOf} from "../../conflict.js";
import {isLost, nextFor, policyConflictOf} from "../../protect/applying.js";
import type {Flow} from "../../protect/flow.js";
import {Button, Card, problemFrom, Trouble} from "../../ui.js";
import {count, duration} from "../../ui/format.js";
import type {Change} from "./flow.js";

const kAskEveryMs = 2_000;

type Phase =
  | {kind: "asking"}
  | {kind: "waiting"; policy: string}
  | {kind: "building"; policy: string}
  | {kind: "ready"; policy: string}
  | {kind: "lost"; policy: string}
  | {kind: "conflict"; looked: PolicyNow; now: PolicyNow}
  | {kind: "failed"; policy: string; problem: Problem}
  | {kind: "done"};

function Progress({policy, running}: {policy: string; running: RunningBuild | undefined}) {
  const share = running?.share ?? null;
  const told = running
    ? `${running.stage}${running.done > 0 ? `, ${count(running.done)} rows` : ""}`
      + (running.seconds_left === null ? "" : `, about ${duration(1000 * running.seconds_left)} left`)
    : "waiting for the server";
  return (
    <div class="build-progress">
      <progress aria-label={`Build of ${policy}`} max={1} {...(share === null ? {} : {value: share})} />
      <p class="hint" role="status">Building {policy}: {told}.</p>
    </div>
  );
}

/** appliedHere: the Apply that was pressed in this visit of the step; it goes on to Build by itself. */
export function Building({flow, change, appliedHere}: {flow: Flow; change: Change; appliedHere: string}) {
  const [phase, setPhase] = useState<Phase>({kind: "asking"});
  const isRunning = phase.kind === "building" || phase.kind === "waiting";
  const builds = useBuilds(isRunning);
  const isHere = useRef(true);
  useEffect(() => () => void (isHere.current = false), []);
  const isAsking = useRef(false);
  const show = (next: Phase) => {
    if (isHere.current) setPhase(next);
  };
  const built = (policy: string) =>
    change(was => ({...was, toBuild: was.toBuild.filter(it => it !== policy)}));

  const build = async (policy: string, looked: PolicyNow) => {
    show({kind: "building", policy});
    try {
      await api.build(policy, looked.tag);
      built(policy);
    } catch (thrown) {
      const now = policyConflictOf(thrown);
      if (now?.building) show({kind: "waiting", policy});
      else if (now) show({kind: "conflict", looked, now});
      else if (isLost(thrown)) show({kind: "lost", policy});
      else show({kind: "failed", policy, problem: problemFrom(thrown)});
    }
  };

  /** How the next policy stands; builds it only when somebody has just applied or pressed the button. */
  const proceed = async (policy: string, mayBuild: boolean) => {
    try {
      const state = await api.state(policy);
      switch (nextFor(state)) {
        case "nothing":
          built(policy);
          return;
        case "wait":
          show({kind: "waiting", policy});
          return;
        case "build":
          if (mayBuild) await build(policy, state);
          else show({kind: "ready", policy});
      }
    } catch (thrown) {
      if (isLost(thrown)) show({kind: "lost", policy});
      else show({kind: "failed", policy, problem: problemFrom(thrown)});
    }
  };

  const next = flow.toBuild[0];
  useEffect(() => {
    if (next === undefined) {
      setPhase({kind: "done"});
      return;
    }
    const goesOn = flow.applied?.answer.undo === appliedHere || phase.kind === "building";
    void proceed(next, goesOn);
  }, [next, flow.applied]);

  // Lost, or somebody else's build: look how things stand until that is known.
  useEffect(() => {
    if (phase.kind !== "lost" && phase.kind !== "waiting") return;
    const {policy} = phase;
    // One question at a time: a late answer to an earlier one would tell how things stood.
    const ask = () => {
      if (isAsking.current) return;
      isAsking.current = true;
      void proceed(policy, false).finally(() => (isAsking.current = false));
    };
    const timer = setInterval(ask, kAskEveryMs);
    return () => clearInterval(timer);
  }, [phase]);

  if (phase.kind === "done" && flow.applied === null && flow.table.policies.length === 0) return null;
  const running = builds.find(it => "policy" in phase && it.policy === phase.policy);
  const press = (policy: string) => void proceed(policy, true);
  return (
    <Card title="Build">
      {phase.kind === "asking" ? <p class="hint" role="status">Asking how things stand …</p> : null}
      {phase.kind === "building" || phase.kind === "waiting" ? (
        <Progress policy={phase.policy} running={running} />
      ) : null}
      {phase.kind === "lost" ? (
        <p class="note warn" role="alert">
          The connection to pgveil was lost. The build may go on without you. This page asks every two seconds
          how things stand, and then goes on.
        </p>
      ) : null}
      {phase.kind === "ready" ? (
        <>
          <p>{phase.policy} is loaded and not built yet. Its readers are refused until then.</p>
          <p class="actions">
            <Button kind="primary" icon="play" onClick={() => press(phase.policy)}>
              Build {phase.policy}
            </Button>
          </p>
        </>
      ) : null}
      {phase.kind === "conflict" ? (
        <section class="conflict" aria-labelledby="build-conflict">
          <h2 id="build-conflict" role="alert">Somebody else changed this policy first</h2>
          <ul>{changesOf(phase.looked, phase.now).map(it => <li key={it}>{it}</li>)}</ul>
          <p class="actions">
            <Button onClick={() => void build(phase.now.policy, phase.now)}>Build what is there now</Button>
          </p>
        </section>
      ) : null}
      {phase.kind === "failed" ? (
        <Trouble problem={phase.problem}>
          {" "}
          <Button onClick={() => press(phase.policy)}>Build again</Button>
        </Trouble>
      ) : null}
      {phase.kind === "done" ? (
        <p class="built" role="status">
          <strong>{flow.policy} is in force.</strong> Its readers can ask now, and see masked rows.
        </p>
      ) : null}
    </Card>
  );
}
