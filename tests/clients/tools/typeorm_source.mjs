// covers: TypeORM
// needs: npm typeorm@1.1.1
// needs: npm pg@8.23.1
// needs: npm reflect-metadata@0.2.2
import typeorm from "typeorm";
import { check, end, url } from "./checks.mjs";

const { DataSource, EntitySchema } = typeorm;
const Towns = new EntitySchema({
  name: "Towns",
  tableName: "towns",
  columns: {
    town: { type: "text", primary: true },
    size: { type: "int" },
    founded: { type: "date", nullable: true },
  },
});
const People = new EntitySchema({
  name: "People",
  tableName: "people",
  columns: {
    seen: { type: "timestamptz", primary: true },
    city: { type: "text", nullable: true },
    mood: { type: "enum", enum: ["calm", "glad", "grim"], nullable: true },
    height: { type: "numeric" },
  },
});
const source = new DataSource({ type: "postgres", url, entities: [Towns, People], installExtensions: false });

await check("initialize", async () => (await source.initialize(), source.isInitialized));
await check("find", () => source.getRepository(Towns).find({ order: { town: "ASC" } }));
await check("a query builder", () =>
  source
    .getRepository(People)
    .createQueryBuilder("p")
    .select("p.city", "city")
    .addSelect("COUNT(*)", "n")
    .where("p.height > :least", { least: 160 })
    .groupBy("p.city")
    .orderBy("p.city")
    .getRawMany(),
);
await check("findAndCount with a page", () =>
  source.getRepository(People).findAndCount({ order: { seen: "ASC" }, skip: 10, take: 5 }),
);
await check("a transaction", () => source.transaction(async manager => manager.count(Towns)));
await check("what a table looks like to migrations", async () => {
  const runner = source.createQueryRunner();
  try {
    const table = await runner.getTable("visits");
    return [
      table.columns.map(({ name, type, isNullable, isPrimary }) => [name, type, isNullable, isPrimary]),
      table.foreignKeys.map(each => [each.columnNames, each.referencedTableName, each.referencedColumnNames]),
    ];
  } finally {
    await runner.release();
  }
});
await check("which tables there are", async () => {
  const runner = source.createQueryRunner();
  try {
    return [
      await runner.getSchemas(),
      await runner.hasTable("people"),
      await runner.hasColumn("people", "city"),
      (await runner.getTables())
        .map(table => table.name)
        .filter(name => !name.includes("diary"))
        .sort(),
    ];
  } finally {
    await runner.release();
  }
});
end();
