// covers: Sequelize
// needs: npm sequelize@6.37.8
// needs: npm pg@8.23.1
import { DataTypes, Op, Sequelize, Transaction } from "sequelize";
import { check, end, url } from "./checks.mjs";

const base = new Sequelize(url, { logging: false, pool: { max: 3 } });
const People = base.define(
  "people",
  {
    city: DataTypes.TEXT,
    height: DataTypes.DECIMAL,
    is_member: DataTypes.BOOLEAN,
    mood: DataTypes.ENUM("calm", "glad", "grim"),
    seen: { type: DataTypes.DATE, primaryKey: true },
  },
  { timestamps: false, freezeTableName: true },
);

await check("authenticate", async () => (await base.authenticate(), true));
await check("rows of a model", () =>
  People.findAll({ where: { city: { [Op.iLike]: "%b%" } }, order: ["seen"], raw: true }),
);
await check("groups", () =>
  People.findAll({
    attributes: ["city", [Sequelize.fn("COUNT", Sequelize.col("city")), "n"]],
    group: ["city"],
    order: ["city"],
    raw: true,
  }),
);
await check("the list of tables", async () =>
  (await base.getQueryInterface().showAllTables())
    .map(each => each.tableName ?? each)
    .filter(name => name !== "diary")
    .sort(),
);
await check("describeTable of an open table", () => base.getQueryInterface().describeTable("towns"));
await check("showIndex of an open table", async () =>
  (await base.getQueryInterface().showIndex("towns")).map(({ name, unique, fields }) => [
    name,
    unique,
    fields,
  ]),
);
await check(
  "showIndex of a table with an expression index",
  async () => (await base.getQueryInterface().showIndex("people")).length >= 0,
);
await check("foreign keys", async () =>
  (await base.getQueryInterface().getForeignKeyReferencesForTable("visits")).map(each => [
    each.columnName,
    each.referencedTableName,
  ]),
);
for (const level of Object.values(Transaction.ISOLATION_LEVELS))
  await check(`a transaction, ${level}`, () =>
    base.transaction({ isolationLevel: level }, transaction => People.count({ transaction })),
  );
end();
