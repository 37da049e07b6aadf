// covers: Prisma (driver adapter, schema engine)
// needs: npm @prisma/schema-engine-wasm@7.10.0-7.561d7b42579a2459cc8edf3788918b626c640023
// needs: npm @prisma/adapter-pg@7.10.1
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindAdapter, bindSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import { check, end, url } from "./checks.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const home = join(here, "node_modules/@prisma/schema-engine-wasm");

// The package leaves it to its user to load the WebAssembly module.
async function engine() {
  const glue = await import(join(home, "schema_engine_bg.js"));
  const module = new WebAssembly.Module(readFileSync(join(home, "schema_engine_bg.wasm")));
  const instance = new WebAssembly.Instance(module, { "./schema_engine_bg.js": glue });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  const adapter = new PrismaPg({ connectionString: url });
  return glue.SchemaEngine.new({ datamodels: undefined }, () => {}, bindSqlAdapterFactory(adapter));
}

await check("the version of the database", async () => (await engine()).version(undefined));
const adapter = bindAdapter(await new PrismaPg({ connectionString: url }).connect());
const args = (sql, values = [], argTypes = []) => ({ sql, args: values, argTypes });
await check("rows through the driver adapter", async () => {
  const result = await adapter.queryRaw(
    args("SELECT city, born, is_member, height FROM people ORDER BY seen"),
  );
  return result.value.rows;
});
await check("a transaction through the driver adapter", async () => {
  const begun = await adapter.startTransaction("SERIALIZABLE");
  const inner = begun.value;
  const result = await inner.queryRaw(args("SELECT count(*) FROM people"));
  await inner.commit();
  return result.value.rows;
});
end();
