// TableReading::counts: the one aggregate, streamed into codes.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "db/counted_columns.hpp"
#include "db/failure.hpp"
#include "db/row_stream.hpp"
#include "db/table_reading.hpp"
#include "policy/leveled_counts.hpp"

namespace pgveil::db {
namespace {

// Codes 1, 2, … in order of first sight; kNullCode for NULL.
class Dictionary {
 public:
  policy::Code code_of(const pqxx::field& field) {
    if (field.is_null()) return policy::kNullCode;
    const auto next = static_cast<policy::Code>(codes_.size() + 1);
    PGVEIL_ASSERT(next != policy::kNullCode);
    const auto [found, is_new] = codes_.try_emplace(std::string(field.c_str(), field.size()), next);
    if (is_new) texts_.push_back(&found->first);
    return found->second;
  }
  // kNullCode: never seen.
  [[nodiscard]] policy::Code known(std::string_view text) const {
    const auto found = codes_.find(std::string(text));
    return found == codes_.end() ? policy::kNullCode : found->second;
  }
  [[nodiscard]] std::size_t size() const { return codes_.size(); }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> out;
    out.reserve(texts_.size());
    for (const auto* text : texts_) out.push_back(*text);
    return out;
  }

 private:
  std::unordered_map<std::string, policy::Code> codes_;
  std::vector<const std::string*> texts_;  // keys of codes_: stable addresses
};

// The column's values in the order of its type, as PostgreSQL has it.
std::vector<std::string> values_in_order(Connection& connection, const CountedColumn& column,
                                         const CountedTable& table) {
  std::vector<std::string> values;
  // In a sub-select: ORDER BY would take a name for the text that is selected under it.
  const std::string query = fmt::format(
      "SELECT x.shown FROM (SELECT {} AS shown, {} AS value FROM {}) AS x WHERE x.value IS NOT NULL "
      "GROUP BY x.shown, x.value ORDER BY x.value",
      column.text_sql, column.value_sql, qualified_name(table.relation->schema, table.relation->name));
  stream_rows(connection, query, [&](const pqxx::row& row) { values.emplace_back(row[0].c_str()); });
  return values;
}

// Codes in order of first sight become codes in the order of the values.
void order_codes(policy::SensitiveColumn& column, const Dictionary& dictionary,
                 const std::vector<std::string>& in_order) {
  PGVEIL_ASSERT(in_order.size() == column.value_count);  // one transaction, one state
  std::vector<policy::Code> rank(column.value_count + 1, policy::kNullCode);
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const auto code = dictionary.known(in_order[i]);
    PGVEIL_ASSERT(code != policy::kNullCode);
    rank[code] = static_cast<policy::Code>(i + 1);
  }
  for (auto& code : column.codes) code = rank[code];
}

policy::SensitiveColumn sensitive_column(const rewriter::Column& column, std::size_t value_count) {
  return {column.name, column.number, value_count, {}};
}

policy::Counts read_counts(Connection& connection, const CountedTable& table, const std::string& query,
                           const Progress& progress) {
  const auto columns = table.columns();
  std::vector<Dictionary> dictionaries(columns.size());
  policy::Counts counts;
  counts.codes.resize(table.attributes.size());
  std::vector<std::vector<policy::Code>> sensitive(table.sensitive.size());
  stream_rows(connection, query, [&](const pqxx::row& row) {
    int at = 0;
    const auto next_code = [&] {
      const auto code = dictionaries[static_cast<std::size_t>(at)].code_of(row[at]);
      ++at;
      return code;
    };
    for (auto& codes : counts.codes) codes.push_back(next_code());
    if (table.unit) counts.units.push_back(next_code());
    for (auto& codes : sensitive) codes.push_back(next_code());
    counts.rows.push_back(row[at].as<std::uint64_t>());
    if (progress && counts.rows.size() % kRowsPerFetch == 0) progress("counting", counts.rows.size());
  });
  for (std::size_t a = 0; a < table.attributes.size(); ++a) {
    counts.attributes.push_back(
        {columns[a].column->name, columns[a].column->number, dictionaries[a].texts()});
  }
  for (std::size_t s = 0; s < sensitive.size(); ++s) {
    const Dictionary& dictionary = dictionaries[columns.size() - sensitive.size() + s];
    counts.sensitive.push_back(sensitive_column(*table.sensitive[s].column, dictionary.size()));
    counts.sensitive.back().codes = std::move(sensitive[s]);
    if (table.sensitive[s].needs_order)
      order_codes(counts.sensitive.back(), dictionary,
                  values_in_order(connection, table.sensitive[s], table));
  }
  return counts;
}

}  // namespace

namespace {

bool has_prefix(const policy::ColumnRule& rule) {
  return rule.level && std::holds_alternative<policy::Prefix>(rule.level->method);
}

// There left() counts bytes, not characters.
bool counts_bytes(Connection& connection) {
  bool counts = true;
  stream_rows(connection,
              "SELECT pg_catalog.current_setting('server_encoding') NOT IN ('SQL_ASCII', 'MULE_INTERNAL')",
              [&](const pqxx::row& row) { counts = !row[0].as<bool>(); });
  return counts;
}

}  // namespace

Result<policy::Counts> TableReading::counts(const Progress& progress) {
  std::vector<const policy::ColumnRule*> refined;
  for (const auto& rule : spec_.columns) {
    if (has_constraint(rule, policy::ConstraintMode::refine)) refined.push_back(&rule);
  }
  return counts_with(refined, progress);
}

Result<policy::Counts> TableReading::counts_with(const std::vector<const policy::ColumnRule*>& sensitive,
                                                 const Progress& progress) {
  const auto table = counted_table(spec_, relation_, sensitive);
  if (!table) return table.error();
  const auto attributes = tree_attributes(spec_, relation_);
  if (!attributes) return attributes.error();
  return guarded<policy::Counts>("counting table " + qualified_name(relation_.schema, relation_.name), [&] {
    if (std::ranges::any_of(spec_.columns, has_prefix) && counts_bytes(*connection_)) {
      return Result<policy::Counts>(Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
                                          "prefixes need a database whose encoding has characters",
                                          "take generalize: {prefix: …} out of the policy"});
    }
    const auto exact = read_counts(*connection_, *table, group_query(table->columns(), relation_), progress);
    return Result<policy::Counts>(policy::with_attributes(exact, *attributes));
  });
}

Result<std::vector<policy::ConstrainedColumn>> TableReading::constrained_columns(const Progress& progress) {
  std::vector<policy::ConstrainedColumn> columns;
  for (const auto& rule : spec_.columns) {
    if (rule.constraints.empty()) continue;
    if (progress) progress("counting sensitive values", 0);
    auto counts = counts_with({&rule}, progress);
    if (!counts) return counts.error();
    columns.push_back({rule, std::move(*counts)});
  }
  return columns;
}

}  // namespace pgveil::db
