// covers: knex
// needs: npm knex@3.3.0
// needs: npm pg@8.23.1
// needs: npm pg-query-stream@4.17.0
import knex from "knex";
import { check, end, url } from "./checks.mjs";

const base = knex({ client: "pg", connection: url, pool: { min: 0, max: 3 } });

await check("groups", () =>
  base("people")
    .select("city")
    .count("* as n")
    .avg("height as tall")
    .where("is_member", true)
    .groupBy("city")
    .orderBy("city"),
);
await check("a join", () =>
  base("people as p")
    .join("towns as t", "t.town", "p.city")
    .select("t.town", "t.size")
    .orderBy("p.seen")
    .limit(20),
);
await check("what columns a table has", () => base("towns").columnInfo());
await check("whether tables and columns are there", async () => [
  await base.schema.hasTable("people"),
  await base.schema.hasTable("nothing"),
  await base.schema.hasColumn("people", "city"),
]);
for (const options of [{ readOnly: true }, { isolationLevel: "repeatable read" }, {}])
  await check(`a transaction with ${JSON.stringify(options)}`, () =>
    base.transaction(
      async inner => [await inner("people").count(), await inner("visits").max("cost")],
      options,
    ),
  );
await check("a stream", async () => {
  const found = [];
  for await (const row of base("visits").select("town").orderBy("id").limit(30).stream())
    found.push(row.town);
  return found;
});
end();
