// covers: kysely
// needs: npm kysely@0.29.9
// needs: npm pg@8.23.1
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { check, end, url } from "./checks.mjs";

const base = new Kysely({
  dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 3 }) }),
});

await check("the tables that it finds", async () =>
  (await base.introspection.getTables())
    .filter(({ name }) => name !== "diary")
    .map(({ name, columns }) => [name, columns.map(each => [each.name, each.dataType])])
    .sort(),
);
await check("groups", () =>
  base
    .selectFrom("people")
    .select(["city", eb => eb.fn.countAll().as("n")])
    .groupBy("city")
    .orderBy("city")
    .execute(),
);
for (const mode of ["read only", "read write"])
  await check(`a transaction, ${mode}`, () =>
    base
      .transaction()
      .setAccessMode(mode)
      .execute(async inner => (await sql`SELECT count(*) FROM people`.execute(inner)).rows),
  );
end();
