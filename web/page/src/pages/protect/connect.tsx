// Done: what readers paste into their tools, and how they read the answers.
import {useState} from "preact/hooks";
import {protectApi} from "../../protect/api.js";
import {clientLines, firstQuestion} from "../../protect/clients.js";
import {formOf, type Flow} from "../../protect/flow.js";
import {linkTo} from "../../route.js";
import {Button, ButtonLink, Card, Skeleton, Tabs, Trouble, useLoaded} from "../../ui.js";
import {CopyText} from "./copy-text.js";

export function ConnectStep({flow}: {flow: Flow}) {
  const form = formOf(flow);
  const {value, problem, isBusy, again} = useLoaded("connection", () => protectApi.connection());
  const roles = form?.readers ?? [];
  const [chosen, setChosen] = useState("");
  const [tool, setTool] = useState("psql");
  const role = roles.includes(chosen) ? chosen : roles[0] ?? "ROLE";
  const lines = value ? clientLines(value, location.hostname, role, flow.database) : [];
  const line = lines.find(it => it.tool === tool) ?? lines[0];
  const quasi = form?.columns.find(it => it.class === "quasi_identifier");
  const column = form?.priority[0] ?? quasi?.name ?? null;
  const question = firstQuestion(flow.table.schema, flow.table.name, column);
  return (
    <>
      <h2 tabIndex={-1}>{flow.table.table} is protected</h2>
      <p class="lead">
        Readers connect to pgveil as to PostgreSQL, with the tools they have. They see masked rows only.
      </p>
      <Card
        title="Connect a tool"
        actions={roles.length > 1 ? (
          <label class="inline">
            Role
            <select value={role} onChange={it => setChosen(it.currentTarget.value)}>
              {roles.map(it => <option key={it} value={it}>{it}</option>)}
            </select>
          </label>
        ) : undefined}
      >
        {isBusy ? <Skeleton lines={3} /> : null}
        <Trouble problem={problem}>
          {" "}
          <Button onClick={again}>Try again</Button>
        </Trouble>
        {value && line ? (
          <Tabs
            label="Tools"
            tabs={lines.map(it => ({key: it.tool, title: it.tool}))}
            selected={line.tool}
            onSelect={setTool}
          >
            <CopyText text={line.text} label={`the lines for ${line.tool}`} />
            <p class="hint">{line.hint}</p>
          </Tabs>
        ) : null}
        {value?.is_loopback ? (
          <p class="note">
            pgveil listens on this machine only (<code>listen.host</code>). Tools elsewhere need another
            address.
          </p>
        ) : null}
        {roles.length === 0 && !form?.usesGrants ? (
          <p class="note warn">The policy has no reader yet. Add one in the step Readers, and apply again.</p>
        ) : null}
      </Card>
      <Card title="What to tell the analysts">
        <p>A first question:</p>
        <CopyText text={question} label="the first question" />
        <ul>
          <li>
            <strong>NULL means hidden.</strong> Rows with a hidden value are in the group NULL, so counts of
            the other groups are lower bounds.
          </li>
          <li>
            <code>SELECT * FROM pgveil.columns</code> says in how many rows each column is shown.
          </li>
          <li>Totals over all rows (<code>count(*)</code> without a condition) are exact.</li>
        </ul>
        <p class="actions">
          <ButtonLink kind="primary" href={linkTo(flow.policy)}>Look at the policy</ButtonLink>
          <ButtonLink href="#/query">Try a query as a reader</ButtonLink>
          <ButtonLink href="#/protect">Protect another table</ButtonLink>
        </p>
      </Card>
    </>
  );
}
