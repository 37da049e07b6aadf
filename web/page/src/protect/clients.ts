// What analysts paste into their tools. The password is theirs and is never written here.
import type {Connection} from "./api.js";

export interface ClientLine {
  tool: string;
  text: string;
  hint: string;
}

const shell = (text: string) =>
  /^[A-Za-z0-9_./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A host of IPv6 needs brackets in an address. */
const inUrl = (host: string) => (host.includes(":") ? `[${host}]` : host);

/** A table as SQL names it. */
export function sqlTable(schema: string, name: string): string {
  const quoted = (it: string) => (/^[a-z_][a-z0-9_]*$/.test(it) ? it : `"${it.replaceAll('"', '""')}"`);
  return `${quoted(schema)}.${quoted(name)}`;
}

/** pageHost: the host of the page's own address, used where pgveil listens everywhere. */
export function clientLines(
  connection: Connection,
  pageHost: string,
  role: string,
  database: string,
): ClientLine[] {
  const host = connection.host ?? pageHost;
  const [inPath, user] = [encodeURIComponent(database), encodeURIComponent(role)];
  const mode = connection.sslmode === "disable" ? "" : connection.sslmode;
  const place = `${inUrl(host)}:${connection.port}/${inPath}`;
  return [
    {
      tool: "psql",
      text: `psql -h ${shell(host)} -p ${connection.port} -U ${shell(role)} ${shell(database)}`,
      hint: "It asks for the password.",
    },
    {
      tool: "JDBC",
      text: `jdbc:postgresql://${place}?user=${user}${mode ? `&sslmode=${mode}` : ""}`,
      hint: "Give the password to the driver as a property, or in the tool's own field.",
    },
    {
      tool: "Metabase",
      text: [
        "Database type: PostgreSQL",
        `Host: ${host}`,
        `Port: ${connection.port}`,
        `Database name: ${database}`,
        `Username: ${role}`,
        `Use a secure connection (SSL): ${mode === "require" ? "yes" : "no"}`,
      ].join("\n"),
      hint: "Admin settings, Databases, Add database. Turn off uploads and model actions, which write.",
    },
    {
      tool: "Superset",
      text: `postgresql+psycopg2://${user}:PASSWORD@${place}${mode ? `?sslmode=${mode}` : ""}`,
      hint: "Settings, Database connections, + Database. Replace PASSWORD, and leave DDL and DML off.",
    },
  ];
}

/** A first question, and what its answer means. */
export function firstQuestion(schema: string, name: string, column: string | null): string {
  const table = sqlTable(schema, name);
  if (column === null) return `SELECT count(*) FROM ${table};`;
  const quoted = /^[a-z_][a-z0-9_]*$/.test(column) ? column : `"${column.replaceAll('"', '""')}"`;
  return `SELECT ${quoted}, count(*) FROM ${table} GROUP BY ${quoted} ORDER BY count(*) DESC;`;
}
