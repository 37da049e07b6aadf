// Twenty rows as they are, beside what readers would see of them. They are never kept.
import {useEffect, useRef, useState} from "preact/hooks";
import {protectApi, type Sample} from "../../protect/api.js";
import {formOf, type Flow} from "../../protect/flow.js";
import {Button, Card, EmptyState, Trouble, useAction} from "../../ui.js";
import {count} from "../../ui/format.js";
import {PasswordForm} from "./password.js";

const kShownMs = 5 * 60_000;

function Cell({raw, shown}: {raw: string | null; shown: string | null}) {
  if (shown === null)
    return raw === null
      ? <span class="null" title="The table has no value here">NULL</span>
      : <span class="masked" title="The table has a value, and readers see NULL">hidden</span>;
  return shown === raw ? <>{shown}</> : <span class="coarser" title="A coarser value">{shown}</span>;
}

function SampleTable({title, sample, columns, isMasked}: {
  title: string;
  sample: Sample;
  columns: number[];
  isMasked: boolean;
}) {
  return (
    <div class={isMasked ? "sample masked-side" : "sample"}>
      <h3>{title}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>{columns.map(at => <th scope="col" key={at}>{sample.columns[at]}</th>)}</tr>
          </thead>
          <tbody>
            {sample.raw.map((cells, row) => (
              <tr key={row}>
                {columns.map((at) => {
                  const raw = cells[at] ?? null;
                  const shown = sample.masked[row]?.[at] ?? null;
                  return (
                    <td key={at}>
                      {isMasked ? <Cell raw={raw} shown={shown} /> : raw ?? <span class="null">NULL</span>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Hidden and shown cells, in a sentence. */
export function sampleSummary(sample: Sample): string {
  let [cells, hidden, coarser] = [0, 0, 0];
  sample.raw.forEach((row, at) => row.forEach((raw, column) => {
    const shown = sample.masked[at]?.[column] ?? null;
    if (raw === null) return;
    cells++;
    if (shown === null) hidden++;
    else if (shown !== raw) coarser++;
  }));
  const some = coarser > 0 ? `, ${count(coarser)} are coarser,` : "";
  const shown = count(cells - hidden - coarser);
  const rows = count(sample.raw.length);
  return `Of ${count(cells)} values in ${rows} rows, ${count(hidden)} are hidden${some} and ` +
    `${shown} are shown.`;
}

function Rows({sample, flow}: {sample: Sample; flow: Flow}) {
  const form = formOf(flow);
  const hidden = new Set(form?.columns.filter(it => it.class === "identifier").map(it => it.name));
  const [showsAll, setShowsAll] = useState(false);
  const all = sample.columns.map((_, at) => at);
  const some = all.filter(at => !hidden.has(sample.columns[at] ?? ""));
  const columns = showsAll || some.length === 0 ? all : some;
  return (
    <>
      <p class="headline" role="status">{sampleSummary(sample)}</p>
      {some.length < all.length && some.length > 0 ? (
        <label class="inline">
          <input
            type="checkbox"
            checked={showsAll}
            onChange={it => setShowsAll(it.currentTarget.checked)}
          />{" "}
          Show the {count(all.length - some.length)} columns that are always hidden
        </label>
      ) : null}
      <div class="sides">
        <SampleTable title="The table" sample={sample} columns={columns} isMasked={false} />
        <SampleTable title="What readers see" sample={sample} columns={columns} isMasked />
      </div>
      {sample.notices.map(it => <p class="hint" key={it}>{it}</p>)}
    </>
  );
}

export function PreviewStep({flow, showsRaw}: {flow: Flow; showsRaw: boolean}) {
  const [sample, setSample] = useState<Sample | null>(null);
  const secret = useRef("");
  const look = useAction(async () => {
    const password = secret.current;
    secret.current = "";
    setSample(await protectApi.sample(flow.text, flow.policy, password));
  });
  // Rows of another text would be a wrong picture of this one.
  useEffect(() => setSample(null), [flow.text]);
  useEffect(() => {
    if (!sample) return;
    const timer = setTimeout(() => setSample(null), kShownMs);
    return () => clearTimeout(timer);
  }, [sample]);
  return (
    <>
      <h2 tabIndex={-1}>What will readers see?</h2>
      <p class="lead">Twenty rows as they are, beside the same rows as readers would see them.</p>
      {!showsRaw ? (
        <Card>
          <EmptyState
            icon="lock"
            title="You may not look at raw rows"
            text={<>Roles in <code>admin.http.raw_rows</code> of the configuration may. You can go on without
              a preview, because it changes nothing.</>}
          />
        </Card>
      ) : (
        <Card>
          {sample ? (
            <p class="actions">
              <Button onClick={() => setSample(null)}>Hide the rows</Button>
              <span class="hint">They disappear after five minutes.</span>
            </p>
          ) : (
            <PasswordForm
              button="Show twenty rows"
              isBusy={look.isBusy}
              hint="These are real people. The audit log records your name, the table and how many rows."
              onSend={(password) => {
                secret.current = password;
                look.run();
              }}
            />
          )}
          <Trouble problem={look.problem} />
          {sample ? <Rows sample={sample} flow={flow} /> : null}
        </Card>
      )}
    </>
  );
}
