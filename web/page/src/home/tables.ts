// Tables of a database and what protects them: POST protect/tables (docs/openapi.yaml).
import {call} from "../api.js";

export interface TableStanding {
  /** As design/columns takes it. */
  table: string;
  kind: string;
  /** An estimate. */
  rows: number | null;
  /** unlisted: nobody reads it through pgveil. open: everybody does, as it is. */
  state: "protected" | "open" | "closed" | "unlisted";
  looks: "persons" | "events" | "reference" | "unknown";
  /** Why it looks so, without a full stop. */
  reason: string;
  personal: {column: string; what: string}[];
}

export const tablesOf = (database: string): Promise<TableStanding[]> =>
  call<{tables: TableStanding[]}>("POST", "protect/tables", {database}).then(it => it.tables);

export interface DatabaseStanding {
  database: string;
  tables: TableStanding[];
}

export const isPersonal = (it: TableStanding): boolean => it.looks === "persons" || it.looks === "events";

export interface TableCounts {
  all: number;
  protected: number;
  open: number;
  closed: number;
  unlisted: number;
  /** Look personal, and are read as they are. */
  exposed: number;
}

export function countsOf(databases: DatabaseStanding[]): TableCounts {
  const counts: TableCounts = {all: 0, protected: 0, open: 0, closed: 0, unlisted: 0, exposed: 0};
  for (const table of databases.flatMap(it => it.tables)) {
    counts.all++;
    counts[table.state]++;
    if (table.state === "open" && isPersonal(table)) counts.exposed++;
  }
  return counts;
}
