// TableReading::verify_distinct: l-diversity held against the leaves, after the tree was built without it.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "common/sqlstate.hpp"
#include "db/counted_columns.hpp"
#include "db/failure.hpp"
#include "db/row_stream.hpp"
#include "db/table_reading.hpp"

namespace pgveil::db {
namespace {

constexpr std::size_t kLeavesNamed = 10;  // a message is one line

using ValuesByLeaf = std::map<policy::NodeIndex, std::set<std::string, std::less<>>>;

// The last column is the sensitive one. Distinct values beyond l need not be kept.
ValuesByLeaf values_by_leaf(Connection& connection, const policy::DisclosureTree& tree,
                            const std::string& query, std::uint64_t l) {
  ValuesByLeaf values;
  std::vector<std::optional<std::string_view>> row_values(tree.attributes.size());
  stream_rows(connection, query, [&](const pqxx::row& row) {
    const auto sensitive = row[static_cast<int>(row_values.size())];
    if (sensitive.is_null()) return;
    for (std::size_t a = 0; a < row_values.size(); ++a) {
      const auto field = row[static_cast<int>(a)];
      row_values[a] =
          field.is_null() ? std::nullopt : std::optional(std::string_view(field.c_str(), field.size()));
    }
    auto& known = values[policy::leaf_of(tree, row_values)];
    if (known.size() < l) known.emplace(sensitive.c_str(), sensitive.size());
  });
  return values;
}

Result<void> check_leaves(const policy::PolicySpec& spec, const policy::ColumnRule& rule,
                          const policy::DisclosureTree& tree, const ValuesByLeaf& values) {
  std::string named;
  std::size_t failing = 0;
  policy::for_each_cohort(tree, [&](const policy::Cohort& cohort) {
    const auto found = values.find(cohort.leaf);
    const std::size_t distinct = found == values.end() ? 0 : found->second.size();
    if (distinct >= *rule.distinct_l) return;
    if (++failing <= kLeavesNamed)
      named += fmt::format("{}{} ({})", named.empty() ? "" : ", ", cohort.label, distinct);
  });
  if (failing == 0) return {};
  if (failing > kLeavesNamed) named += ", …";
  return Error{
      ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
      fmt::format("policy {}: {} cohorts have fewer than {} distinct values of {}: {}", spec.name, failing,
                  *rule.distinct_l, quoted_name(rule.name), named),
      fmt::format("raise k (now {}), take out quasi-identifiers, or make the column an identifier", spec.k)};
}

}  // namespace

Result<void> TableReading::verify_distinct(const policy::DisclosureTree& tree, const Progress& progress) {
  for (const auto& rule : spec_.columns) {
    if (!rule.distinct_l) continue;
    if (progress) progress("checking l-diversity", 0);
    auto columns = quasi_identifiers(spec_, relation_);
    if (!columns) return columns.error();
    auto sensitive = counted_column(spec_, rule.name, relation_);
    if (!sensitive) return sensitive.error();
    columns->push_back(std::move(*sensitive));
    const auto values = guarded<ValuesByLeaf>(
        fmt::format("counting values of {}", quoted_name(rule.name)), [&]() -> Result<ValuesByLeaf> {
          return values_by_leaf(*connection_, tree, group_query(*columns, relation_), *rule.distinct_l);
        });
    if (!values) return values.error();
    if (auto checked = check_leaves(spec_, rule, tree, *values); !checked) return checked;
  }
  return {};
}

}  // namespace pgveil::db
