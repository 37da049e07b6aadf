#include "db/versions/built_tables.hpp"

#include <fmt/format.h>

#include "common/sql_quoting.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kRead = R"(
SELECT table_oid, schema_name, table_name, policy FROM pgveil.built_table ORDER BY table_oid, schema_name, table_name)";

constexpr const char* kNote = R"(
INSERT INTO pgveil.built_table (table_oid, schema_name, table_name, policy) VALUES ($1, $2, $3, $4)
    ON CONFLICT (table_oid, schema_name, table_name) DO NOTHING)";

}  // namespace

Result<std::vector<rewriter::BuiltTable>> read_built_tables(const Endpoint& admin,
                                                            const std::string& database) {
  auto connection = Connection::open(admin, database, Access::read_only);
  if (!connection) return connection.error();
  const std::string what = fmt::format("reading pgveil.built_table of database {}", quoted_name(database));
  return guarded<std::vector<rewriter::BuiltTable>>(what, [&]() -> Result<std::vector<rewriter::BuiltTable>> {
    std::vector<rewriter::BuiltTable> tables;
    for (const auto& row : (*connection)->run(kRead)) {
      tables.push_back({row[0].as<std::uint32_t>(), row[1].as<std::string>(), row[2].as<std::string>(),
                        row[3].as<std::string>()});
    }
    return tables;
  });
}

Result<void> note_built_table(const Endpoint& admin, const std::string& database,
                              const rewriter::BuiltTable& table) {
  auto connection = Connection::open(admin, database, Access::read_write);
  if (!connection) return connection.error();
  const std::string what = fmt::format("writing pgveil.built_table of database {}", quoted_name(database));
  const auto done = guarded<bool>(what, [&]() -> Result<bool> {
    (*connection)->run(kNote, table.oid, table.schema, table.name, table.policy);
    return true;
  });
  if (!done) return done.error();
  return {};
}

}  // namespace pgveil::db
