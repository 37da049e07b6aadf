// covers: MCP: server-postgres
// needs: npm @modelcontextprotocol/server-postgres@0.6.2
import { fileURLToPath } from "node:url";
import { check, end, refused, url } from "./checks.mjs";
import { Agent } from "./mcp.mjs";

const server = "./node_modules/@modelcontextprotocol/server-postgres/dist/index.js";
const agent = new Agent("node", fileURLToPath(new URL(server, import.meta.url)), url);
const ask = async sql => JSON.parse(await agent.call("query", { sql }));

await check("the server begins", () => agent.begin());
await check("its tools", async () => (await agent.request("tools/list")).tools.map(tool => tool.name));
await check("the tables that it offers", async () =>
  (await agent.request("resources/list")).resources
    .map(each => each.name)
    .filter(name => !name.includes("diary"))
    .sort(),
);
await check("the columns of a table", async () => {
  const { resources } = await agent.request("resources/list");
  const people = resources.find(each => each.name.startsWith('"people"'));
  const { contents } = await agent.request("resources/read", { uri: people.uri });
  return JSON.parse(contents[0].text).sort((a, b) => (a.column_name < b.column_name ? -1 : 1));
});
await check("groups of a masked table", () => ask("SELECT city, count(*) FROM people GROUP BY city ORDER BY city"));
await check("a join with an open table", () =>
  ask("SELECT t.town, count(*) FROM visits v JOIN towns t USING (town) GROUP BY 1 ORDER BY 1"),
);
await check("names, which are hidden", () => ask("SELECT name, email FROM people ORDER BY seen LIMIT 3"));
await refused("a closed table", "diary", () => ask("SELECT * FROM diary"));
await refused("a statement that leaves the transaction and writes", "is not answered", () =>
  ask("COMMIT; DROP TABLE people"),
);
await check("it goes on after refusals", () => ask("SELECT count(*) FROM people"));
agent.end();
end();
