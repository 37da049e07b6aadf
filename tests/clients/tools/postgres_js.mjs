// covers: postgres.js
// needs: npm postgres@3.4.9
import postgres from "postgres";
import { check, end, url } from "./checks.mjs";

async function connected(work, options = {}) {
  const sql = postgres(url, { max: 2, onnotice: () => {}, ...options });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

await check("rows, with types looked up at connect", () =>
  connected(
    sql => sql`SELECT city, born, mood, tags, details FROM people WHERE height > ${160} ORDER BY seen`,
  ),
);

await check("lists and fragments", () =>
  connected(
    sql =>
      sql`SELECT city, count(*) FROM people WHERE city IN ${sql(["Aber", "Bree"])} ${sql`AND is_member`} GROUP BY city ORDER BY city`,
  ),
);

for (const mode of ["read write", "read only", "isolation level serializable"])
  await check(`begin('${mode}')`, () =>
    connected(sql =>
      sql.begin(mode, async inner => [
        await inner`SELECT count(*) FROM people`,
        await inner.savepoint(s => s`SELECT 1 / (size - 4) FROM towns`).catch(error => error.code),
        await inner`SELECT count(*) FROM towns`,
      ]),
    ),
  );

await check("a cursor", () =>
  connected(async sql => {
    const found = [];
    for await (const rows of sql`SELECT town FROM visits ORDER BY id`.cursor(90)) found.push(rows.length);
    return found;
  }),
);

await check("without prepared statements", () =>
  connected(sql => sql`SELECT count(*) FROM people WHERE city = ${"Aber"}`, { prepare: false }),
);

await check("what a statement's columns are", () =>
  connected(async sql => {
    const { columns } = await sql`SELECT city, height FROM people`.describe();
    return columns.map(({ name, type }) => [name, type]);
  }),
);
end();
