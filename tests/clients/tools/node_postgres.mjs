// covers: node-postgres (pg)
// needs: npm pg@8.23.1
// needs: npm pg-cursor@2.22.0
// needs: npm pg-query-stream@4.17.0
import pg from "pg";
import Cursor from "pg-cursor";
import QueryStream from "pg-query-stream";
import { check, end, url } from "./checks.mjs";

const SQL = "SELECT city, born, mood, tags, details, height FROM people ORDER BY seen";

async function connected(work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

await check("rows", () => connected(async client => (await client.query(SQL)).rows));

await check("parameters and a named statement", () =>
  connected(async client => {
    const found = [];
    for (const city of ["Aber", "Bree", "place-3"])
      found.push(
        (
          await client.query({
            name: "n",
            text: "SELECT count(*) FROM people WHERE city = $1",
            values: [city],
          })
        ).rows,
      );
    return found;
  }),
);

await check("a pool", async () => {
  const pool = new pg.Pool({ connectionString: url, max: 3 });
  const found = await Promise.all(
    [...Array(12).keys()].map(
      async n => (await pool.query("SELECT count(*)::int + $1::int AS n FROM people", [n])).rows[0].n,
    ),
  );
  await pool.end();
  return found;
});

await check("a cursor", () =>
  connected(async client => {
    const cursor = client.query(new Cursor("SELECT town FROM visits ORDER BY id"));
    const first = await cursor.read(7);
    const rest = await cursor.read(1000);
    await cursor.close();
    return [first, rest.length];
  }),
);

await check("a stream", () =>
  connected(async client => {
    const found = [];
    for await (const row of client.query(new QueryStream("SELECT city FROM people ORDER BY seen")))
      found.push(row.city);
    return found;
  }),
);

await check("a transaction that fails", () =>
  connected(async client => {
    await client.query("BEGIN");
    const code = await client.query("SELECT 1 / (size - 4) FROM towns").catch(error => error.code);
    await client.query("ROLLBACK");
    return [code, (await client.query("SELECT count(*) FROM people")).rows];
  }),
);
end();
