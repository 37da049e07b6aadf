#include "db/policy_table/raw_rows.hpp"

#include <fmt/format.h>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/table_reading.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/mask/export_select.hpp"
#include "rewriter/mask/mask_column.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::db {
namespace {

constexpr std::string_view kSelect = "SELECT ";
constexpr std::string_view kTime = "20s";

std::string raw_name(std::size_t column) {
  return quoted_name(fmt::format("pgveil raw {}", column));
}

std::string of_table(const std::string& column) {
  return fmt::format("{}.{}", rewriter::kMaskAlias, quoted_name(column));
}

std::string key_order(const rewriter::Relation& relation) {
  std::string keys;
  for (const int number : relation.primary_key) {
    const auto* column = relation.find_column(number);
    PGVEIL_ASSERT(column != nullptr);
    keys += (keys.empty() ? " ORDER BY " : ", ") + of_table(column->name);
  }
  return keys;
}

// The mask's own SELECT, with the raw columns before the masked ones, so that each row has both.
Result<std::string> pairs_query(const policy::PolicySpec& spec, const policy::PolicyVersion& version,
                                const rewriter::Relation& relation, std::size_t limit) {
  const auto mask = rewriter::export_select_sql(spec, version.tree, relation);
  if (!mask) return mask.error();
  PGVEIL_ASSERT(mask->starts_with(kSelect));
  std::string raw, raw_texts, masked_texts;
  for (std::size_t i = 0; i < relation.columns.size(); ++i) {
    const std::string& name = relation.columns[i].name;
    raw += fmt::format("{} AS {}, ", of_table(name), raw_name(i));
    raw_texts += fmt::format("pg_catalog.left(x.{}::pg_catalog.text, {}), ", raw_name(i), kMostRawCharacters);
    masked_texts += fmt::format("{}pg_catalog.left(x.{}::pg_catalog.text, {})", i == 0 ? "" : ", ",
                                quoted_name(name), kMostRawCharacters);
  }
  return fmt::format("SELECT {}{} FROM ({}{}{}{} LIMIT {}) AS x", raw_texts, masked_texts, kSelect, raw,
                     mask->substr(kSelect.size()), key_order(relation), limit + 1);
}

std::vector<std::optional<std::string>> cells_of(const Row& row, std::size_t first, std::size_t count) {
  std::vector<std::optional<std::string>> cells;
  for (std::size_t i = first; i < first + count; ++i) {
    const auto field = row[static_cast<int>(i)];
    if (field.is_null()) {
      cells.emplace_back();
    } else {
      cells.emplace_back(std::in_place, field.c_str(), field.size());
    }
  }
  return cells;
}

Result<RawRows> read(TableReading& reading, const policy::PolicyVersion& version, std::size_t limit) {
  const rewriter::Relation& relation = reading.relation();
  const auto query = pairs_query(reading.spec(), version, relation, limit);
  if (!query) return query.error();
  reading.connection().run(fmt::format("SET LOCAL statement_timeout = '{}'", kTime));
  RawRows made;
  made.is_in_key_order = !relation.primary_key.empty();
  for (const auto& column : relation.columns) made.columns.push_back(column.name);
  const std::size_t count = relation.columns.size();
  for (const auto& row : reading.connection().run(*query)) {
    if (made.rows.size() == limit) {
      made.has_more = true;
      break;
    }
    made.rows.push_back({cells_of(row, 0, count), cells_of(row, count, count)});
  }
  return made;
}

}  // namespace

Result<RawRows> read_raw_rows(const Endpoint& endpoint, const policy::PolicySpec& spec,
                              const policy::PolicyVersion& version, std::size_t limit) {
  auto reading = TableReading::open(endpoint, spec);
  if (!reading) return reading.error();
  if (!rewriter::is_of(version, reading->relation())) {
    return Error{ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
                 fmt::format("policy {}: the table changed since version {}", version.policy, version.number),
                 "BUILD POLICY first"};
  }
  return guarded<RawRows>("reading rows of a policy's table", [&] { return read(*reading, version, limit); });
}

}  // namespace pgveil::db
