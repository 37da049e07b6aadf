#include "db/catalog/table_facts.hpp"

#include <fmt/format.h>

#include "common/sql_quoting.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

// Leaves out columns with a single value, because rows in any order follow them.
constexpr const char* kCorrelations = R"(
SELECT s.attname, s.correlation,
       EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = s.attname
                 LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
                WHERE n.nspname = $1 AND c.relname = $2
                  AND (a.attidentity <> '' OR pg_catalog.pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%'))
  FROM pg_catalog.pg_stats s
 WHERE s.schemaname = $1 AND s.tablename = $2 AND NOT s.inherited AND s.correlation IS NOT NULL
   AND s.n_distinct <> 1 ORDER BY s.attname)";

}  // namespace

Result<std::vector<IdentifierFacts>> count_identifiers(const Endpoint& endpoint,
                                                       const policy::PolicySpec& spec) {
  std::vector<IdentifierFacts> facts;
  std::string counts;
  for (const auto& rule : spec.columns) {
    if (rule.column_class != policy::ColumnClass::identifier) continue;
    facts.push_back({rule.name, 0, 0});
    counts += fmt::format("{0}pg_catalog.count({1}), pg_catalog.count(DISTINCT ({1})::pg_catalog.text)",
                          counts.empty() ? "" : ", ", quoted_name(rule.name));
  }
  if (facts.empty()) return facts;
  auto connection = Connection::open(endpoint, spec.database, Access::read_only);
  if (!connection) return connection.error();
  const std::string table = qualified_name(spec.schema, spec.table);
  return guarded<std::vector<IdentifierFacts>>("counting identifiers of table " + table, [&] {
    const auto row = (*connection)->run(fmt::format("SELECT {} FROM {}", counts, table))[0];
    for (std::size_t i = 0; i < facts.size(); ++i) {
      facts[i].values = row[static_cast<int>(2 * i)].as<std::uint64_t>();
      facts[i].distinct = row[static_cast<int>(2 * i + 1)].as<std::uint64_t>();
    }
    return Result<std::vector<IdentifierFacts>>(std::move(facts));
  });
}

Result<std::vector<OrderFacts>> load_order(const Endpoint& endpoint, const policy::PolicySpec& spec) {
  auto connection = Connection::open(endpoint, spec.database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<std::vector<OrderFacts>>("reading statistics", [&]() -> Result<std::vector<OrderFacts>> {
    std::vector<OrderFacts> facts;
    for (const auto& row : (*connection)->run(kCorrelations, spec.schema, spec.table))
      facts.push_back({row[0].as<std::string>(), row[1].as<double>(), row[2].as<bool>()});
    return facts;
  });
}

}  // namespace pgveil::db
