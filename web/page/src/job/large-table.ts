// The command for a table that is too large for the page and for this machine's memory.
import type {JobForm} from "./form.js";

/** As a word of a shell. */
const word = (text: string) => (/^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** What is in capitals is for its reader to fill in (docs/spark.md). */
export function largeTableCommand({name, table}: Pick<JobForm, "name" | "table">): string {
  const database = table ? encodeURIComponent(table.database) : "DATABASE";
  return [
    'pgveil-spark --submit "--master spark://HOST:7077 --jars POSTGRESQL_JDBC_JAR"',
    `--url ${word(`jdbc:postgresql://HOST/${database}`)} --user ROLE --output FOLDER ${word(`${name}.yaml`)}`,
  ].join(" \\\n  ");
}
