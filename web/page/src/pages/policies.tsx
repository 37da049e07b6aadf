import {api} from "../api.js";
import {linkTo} from "../route.js";
import {ago, share} from "../table.js";
import {Bar, Grid, Trouble, useLoaded, Waiting, type GridColumn} from "../ui.js";

const shareCell = (key: string): NonNullable<GridColumn["cell"]> => row => {
  const part = share(row[key]);
  if (part === null) return <span class="null">–</span>;
  return <><Bar part={part} whole={1} label={`${row[key]} ${key.replaceAll("_", " ")}`} /> {row[key]}</>;
};

export function Policies({isAdmin}: {isAdmin: boolean}) {
  const {value, problem, isBusy, again} = useLoaded("policies", api.policies);
  const now = Date.now();
  const columns: GridColumn[] = [
    {
      key: "policy",
      cell: (row) => (isAdmin ? <a href={linkTo(row["policy"] ?? "")}>{row["policy"]}</a> : row["policy"]),
    },
    {key: "database"},
    {key: "table"},
    {key: "state", cell: (row) => <span class={`state ${row["state"] ?? ""}`}>{row["state"]}</span>},
    {key: "version", isNumber: true, cell: (row) => row["version"] ?? "–"},
    {
      key: "built_at",
      title: "built",
      cell: (row) => <span title={row["built_at"] ?? ""}>{ago(row["built_at"] ?? null, now)}</span>,
    },
    {key: "k", isNumber: true},
    {key: "unit", cell: (row) => row["unit"] ?? "each row"},
    ...(isAdmin
      ? [
          {
            key: "cohorts",
            isNumber: true,
            cell: (row: Record<string, string | null>) => row["cohorts"] ?? "–",
          },
          {
            key: "smallest",
            isNumber: true,
            cell: (row: Record<string, string | null>) => row["smallest"] ?? "–",
          },
        ]
      : []),
    {key: "disclosed", cell: shareCell("disclosed")},
    {key: "computable", cell: shareCell("computable")},
    {key: "equal", cell: shareCell("equal")},
    {key: "mean_error", title: "mean error", cell: (row) => row["mean_error"] ?? "–"},
    {key: "least_shown", title: "least shown", cell: (row) => row["least_shown"] ?? "–"},
    {key: "enforcement"},
    {
      key: "last_failure",
      title: "last build failed",
      cell: (row) => (
        <span title={row["last_failure"] ?? ""}>
          {row["last_failure"]
            ? [ago(row["last_failure"], now), row["failure"]].filter(Boolean).join(": ")
            : ""}
        </span>
      ),
    },
    {
      key: "closed_because",
      title: "closed because",
      cell: (row) => row["building"] ?? row["closed_because"] ?? "",
    },
  ];
  return (
    <section>
      <h1>Policies</h1>
      <p class="hint">
        Disclosed: the share of cells that are shown. Computable: the share of cells that are hidden, but that
        a reader can compute from what is shown. Equal: the share of the other hidden cells where all rows
        that look alike have the same value, although no reader can know which. Mean error: how wrong counts
        by a single column are, on average. Least shown: the column that is hidden in most rows.
      </p>
      <Waiting isBusy={isBusy} />
      <Trouble problem={problem} />
      {value ? <Grid caption="Policies" table={value} columns={columns} /> : null}
      <button type="button" onClick={again}>
        Refresh
      </button>
    </section>
  );
}
