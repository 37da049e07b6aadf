// covers: drizzle-orm, drizzle-kit
// needs: npm drizzle-orm@0.45.4
// needs: npm drizzle-kit@0.31.11
// needs: npm pg@8.23.1
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { count, desc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { boolean, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { check, end, url } from "./checks.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const base = drizzle(url);
const people = pgTable("people", {
  city: text(),
  is_member: boolean(),
  seen: timestamp({ withTimezone: true }),
});

await check("rows", () =>
  base.select().from(people).where(eq(people.city, "Aber")).orderBy(desc(people.seen)),
);
await check("groups", () =>
  base.select({ city: people.city, n: count() }).from(people).groupBy(people.city).orderBy(people.city),
);
for (const accessMode of ["read only", "read write"])
  await check(`a transaction, ${accessMode}`, () =>
    base.transaction(inner => inner.select({ n: count() }).from(people), { accessMode }),
  );

await check("drizzle-kit pull writes the tables", () => {
  writeFileSync(
    "drizzle.config.json",
    JSON.stringify({
      dialect: "postgresql",
      out: "./out",
      dbCredentials: { url },
      tablesFilter: ["towns", "visits", "town_sizes"],
    }),
  );
  const done = spawnSync(
    "node",
    [join(here, "node_modules/drizzle-kit/bin.cjs"), "pull", "--config", "drizzle.config.json"],
    { encoding: "utf8", timeout: 30_000, env: { ...process.env, NO_COLOR: "1" } },
  );
  if (done.status !== 0)
    throw new Error(`status ${done.status}: ${done.stdout.slice(-1000)}${done.stderr.slice(-1000)}`);
  return readFileSync("out/schema.ts", "utf8");
});
end();
