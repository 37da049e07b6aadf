// "Protect a table": the tables of a database, and the steps of one of them.
import {FlowPage} from "./protect/flow.js";
import {TablesPage} from "./protect/tables.js";

export function Protect({at, showsRaw, mayApply}: {
  at: {database: string; table: string} | null;
  /** admin.http.raw_rows lists the role. */
  showsRaw: boolean;
  /** admin.http.policy_authors lists the role. */
  mayApply: boolean;
}) {
  if (at === null) return <TablesPage />;
  return <FlowPage key={JSON.stringify(at)} {...at} showsRaw={showsRaw} mayApply={mayApply} />;
}
