import {api} from "../api.js";
import {useLive} from "../live.js";
import {Runs} from "./runs.js";
import {Grid, Trouble, useAction, type GridColumn} from "../ui.js";

function JobButton({job, isRunning}: {job: string; isRunning: boolean}) {
  const action = useAction(async () => {
    await (isRunning ? api.cancelJob(job) : api.runJob(job));
  });
  return (
    <>
      <button
        type="button"
        disabled={action.isBusy}
        aria-label={`${isRunning ? "Cancel" : "Run"} ${job}`}
        onClick={action.run}
      >
        {isRunning ? "Cancel" : "Run"}
      </button>
      <Trouble problem={action.problem} />
    </>
  );
}

export function Jobs({isAdmin}: {isAdmin: boolean}) {
  const {tables, isConnected} = useLive(true);
  const table = tables["jobs"];
  const columns: GridColumn[] = [
    {key: "job"},
    {key: "state"},
    ...(isAdmin ? [{
      key: "run",
      title: "action",
      cell: (row: Record<string, string | null>) => {
        const isRunning = row["state"] === "running";
        const isOfThePage = (row["job"] ?? "").startsWith("page-");
        return isOfThePage && !isRunning ? null : <JobButton job={row["job"] ?? ""} isRunning={isRunning} />;
      },
    }] : []),
    {key: "started_by"},
    {key: "started_at"},
    {key: "ended_at"},
    {key: "checks", isNumber: true},
    {key: "best", title: "best score", isNumber: true},
    {key: "rows", isNumber: true},
    {key: "message"},
  ];
  return (
    <section>
      <h1>Jobs</h1>
      <p class="hint">
        The list has the jobs of the configuration and the jobs that were set up here (page-1 …). One job runs
        at a time.
      </p>
      <p>
        <span class="state" role="status">
          {isConnected ? "live" : "connecting …"}
        </span>
      </p>
      {table ? <Grid caption="Jobs" table={table} columns={columns} /> : null}
      {isAdmin ? <Runs news={JSON.stringify(table?.rows.map((row) => row.slice(0, 2)) ?? [])} /> : null}
    </section>
  );
}
