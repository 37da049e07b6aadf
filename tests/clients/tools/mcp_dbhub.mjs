// covers: MCP: DBHub
// needs: npm @bytebase/dbhub@1.4.0
import { fileURLToPath } from "node:url";
import { check, end, refused, url } from "./checks.mjs";
import { Agent } from "./mcp.mjs";

const server = fileURLToPath(new URL("./node_modules/@bytebase/dbhub/dist/index.js", import.meta.url));
const agent = new Agent("node", server, "--transport=stdio", `--dsn=${url}?sslmode=disable`);
const ask = async sql => JSON.parse(await agent.call("execute_sql", { sql })).data;
const search = async args => JSON.parse(await agent.call("search_objects", args)).data;

await check("the server begins", () => agent.begin());
await check("its tools", async () => (await agent.request("tools/list")).tools.map(tool => tool.name));
await check("the tables that it finds", async () =>
  (await search({ object_type: "table", pattern: "%", schema: "public" })).results
    .map(each => each.name)
    .filter(name => name !== "diary")
    .sort(),
);
await check("the columns of a table", () =>
  search({ object_type: "column", pattern: "%", schema: "public", table: "people", detail_level: "names" }),
);
await check("groups of a masked table", () => ask("SELECT city, count(*) FROM people GROUP BY city ORDER BY city"));
await check("a join with an open table", () =>
  ask("SELECT t.town, count(*) FROM visits v JOIN towns t USING (town) GROUP BY 1 ORDER BY 1"),
);
await check("names, which are hidden", () => ask("SELECT name, email FROM people ORDER BY seen LIMIT 3"));
await refused("a closed table", "diary", () => ask("SELECT * FROM diary"));
await refused("a write", "is not answered", () => ask("DELETE FROM towns"));
await check("it goes on after refusals", () => ask("SELECT count(*) FROM people"));
agent.end();
end();
