#include "web/api/distribution.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <map>
#include <utility>
#include <vector>

#include "common/assert.hpp"
#include "daemon/policies/builder.hpp"
#include "db/catalog/table_reading.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "web/api/state.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr std::int64_t kDistributionLockWaitMs = 10'000;

struct ValueCount {
  std::uint64_t rows = 0;
  std::uint64_t units = 0;
};

// Per code of the only attribute.
std::vector<ValueCount> by_code(const policy::Counts& counts) {
  const auto& codes = counts.codes.front();
  std::vector<ValueCount> out(counts.attributes.front().values.size() + 1);
  std::vector<std::pair<policy::Code, policy::Code>> seen;  // of code and unit
  for (std::size_t i = 0; i < counts.size(); ++i) {
    ValueCount& count = out[codes[i]];
    count.rows += counts.rows[i];
    if (!counts.has_units()) {
      count.units += counts.rows[i];
    } else if (counts.units[i] != policy::kNullCode) {
      seen.emplace_back(codes[i], counts.units[i]);
    }
  }
  std::ranges::sort(seen);
  const auto repeated = std::ranges::unique(seen);
  seen.erase(repeated.begin(), repeated.end());
  for (const auto& [code, unit] : seen) ++out[code].units;
  return out;
}

std::uint64_t most_rows_of_a_unit(const policy::Counts& counts) {
  if (!counts.has_units()) return 1;
  std::map<policy::Code, std::uint64_t> rows;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts.units[i] != policy::kNullCode) rows[counts.units[i]] += counts.rows[i];
  }
  std::uint64_t most = 1;
  for (const auto& [unit, count] : rows) most = std::max(most, count);
  return most;
}

// The policy with this column as its only quasi-identifier; all others are not counted.
Result<policy::PolicySpec> with_only(policy::PolicySpec spec, const std::string& column) {
  spec = policy::without_levels(std::move(spec));
  std::erase_if(spec.columns, [&](const policy::ColumnRule& rule) {
    return rule.name != column || rule.column_class != policy::ColumnClass::quasi_identifier;
  });
  if (!spec.columns.empty()) return spec;
  return error_of_kind(ErrorKind::unknown_object, "the policy has no such quasi-identifier",
                       "columns that only show a level are counted by the column they are made of");
}

}  // namespace

json::object count_values(const policy::Counts& counts, std::uint64_t k) {
  PGVEIL_ASSERT(counts.attributes.size() == 1 && k >= 2);
  const policy::Attribute& attribute = counts.attributes.front();
  const std::uint64_t grain = k * most_rows_of_a_unit(counts);
  const auto rounded = [grain](std::uint64_t rows) { return (rows + grain / 2) / grain * grain; };
  const auto found = by_code(counts);
  std::vector<std::pair<std::string, std::uint64_t>> common;
  std::uint64_t rare = 0, total = 0;
  for (std::size_t code = 0; code < found.size(); ++code) {
    total += found[code].rows;
    if (code == policy::kNullCode) continue;
    if (found[code].units < k) {
      rare += found[code].rows;
    } else {
      common.emplace_back(attribute.values[code - 1], rounded(found[code].rows));
    }
  }
  // Equal figures in the order of their values, so that the order does not tell more than the figures do.
  std::ranges::sort(common, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  json::array values;
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < common.size(); ++i) {
    if (i < Distributions::kMostValues) {
      values.push_back({{"value", common[i].first}, {"rows", common[i].second}});
    } else {
      others += common[i].second;
    }
  }
  const std::size_t beyond = common.size() - values.size();
  return {{"column", attribute.name},   {"grain", grain},
          {"rows", rounded(total)},     {"values", std::move(values)},
          {"other_values", beyond},     {"other_rows", others},
          {"rare_rows", rounded(rare)}, {"null_rows", rounded(found[policy::kNullCode].rows)}};
}

Result<json::object> Distributions::count(const Present& present, const std::string& policy,
                                          const std::string& column) {
  const auto spec = find_policy(present.specs, policy);
  if (!spec) return spec.error();
  const auto only = with_only(**spec, column);
  if (!only) return only.error();
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock)
    return error_of_kind(ErrorKind::limit, "another column is being counted", "ask again in a moment");
  auto reading = db::TableReading::open(build_endpoint(present.config), *only, kDistributionLockWaitMs);
  if (!reading) return reading.error();
  const auto counts = reading->counts();
  if (!counts) return counts.error();
  return count_values(*counts, (*spec)->k);
}

}  // namespace pgveil::app
