#include "web/api/design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <map>

#include "common/clock.hpp"
#include "common/sqlstate.hpp"
#include "daemon/policies/builder.hpp"
#include "db/catalog/table_reading.hpp"
#include "policy/cohorts/constraint_check.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "policy/spec/spec_reader.hpp"
#include "policy/tree/tree.hpp"
#include "policy/utility/utility.hpp"
#include "policy/version/utility_json.hpp"
#include "web/api/mistake_position.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr std::string_view kFile = "policies.yaml";
constexpr std::uint64_t kLargestK = std::uint64_t{1} << 53;

Error design_error(ErrorKind kind, std::string message, std::string hint = {}) {
  return {kind, std::string(sqlstate::kInvalidParameterValue), std::move(message), std::move(hint)};
}

json::object summary_of(const policy::PolicySpec& spec) {
  return {{"name", spec.name},
          {"database", spec.database},
          {"table", spec.schema + "." + spec.table},
          {"k", spec.k},
          {"columns", classes_json(spec)}};
}

bool has_constraints(const policy::PolicySpec& spec) {
  return std::ranges::any_of(spec.columns, [](const auto& column) { return !column.constraints.empty(); });
}

// What two policies must have in common besides columns so that the counts of one can be used for the other.
std::string counted_text(policy::PolicySpec spec) {
  spec.k = 2;
  spec.growth = {};
  return policy::canonical_text(spec);
}

std::vector<policy::TreeAttribute> attributes_in(const policy::PolicySpec& spec,
                                                 const rewriter::Relation& relation) {
  std::map<std::string, int, std::less<>> numbers;
  for (const auto& column : relation.columns) numbers.emplace(column.name, column.number);
  return policy::attributes_of(spec, numbers);
}

Result<policy::PolicySpec> spec_of(const Config& config, std::string_view yaml, std::string_view name,
                                   std::uint64_t k) {
  if (k < 2 || k > kLargestK) return design_error(ErrorKind::usage, "k is outside 2 to 2^53");
  const auto specs = policy::read_policy_text(yaml, std::string(kFile));
  if (!specs) return specs.error();
  const auto found = std::ranges::find(*specs, name, &policy::PolicySpec::name);
  if (found == specs->end())
    return design_error(ErrorKind::unknown_object, "the text has no policy of this name");
  const auto& databases = config.backend.databases;
  if (std::ranges::find(databases, found->database) == databases.end())
    return design_error(ErrorKind::unknown_object, "the policy's database is none of backend.databases");
  policy::PolicySpec spec = *found;
  spec.k = k;
  return spec;
}

// For a table that somebody changes. Others want to ask, too.
constexpr std::int64_t kLockWaitMs = 10'000;

// An abandoned question ends within this, and the next one need not be asked twice.
constexpr std::chrono::seconds kPatience{2};

Error abandoned() {
  return {ErrorKind::limit, std::string(sqlstate::kQueryCanceled), "the question was abandoned", "ask again"};
}

// The tree, or nothing more of it as soon as nobody waits for it. What is thrown through build_tree comes
// from here and ends here.
Result<policy::DisclosureTree> tree_unless(const Designs::IsAbandoned& is_abandoned,
                                           const policy::PolicySpec& spec, const policy::Counts& counts) {
  struct Stopped {};
  const auto progress = [&](double) {
    if (is_abandoned()) throw Stopped{};
  };
  if (is_abandoned()) return abandoned();
  try {
    return policy::build_tree(counts, spec.k, spec.growth, progress, policy::side_rules(spec, counts));
  } catch (const Stopped&) {
    return abandoned();
  }
}

json::array numbers_of(const std::vector<std::uint64_t>& numbers) {
  return json::array(numbers.begin(), numbers.end());
}

}  // namespace

json::array classes_json(const policy::PolicySpec& spec) {
  const auto name_of = [](policy::ColumnClass column_class) -> std::string_view {
    switch (column_class) {
      case policy::ColumnClass::identifier: return "identifier";
      case policy::ColumnClass::quasi_identifier: return "quasi_identifier";
      case policy::ColumnClass::sensitive: return "sensitive";
      case policy::ColumnClass::insensitive: return "insensitive";
      case policy::ColumnClass::key: return "key";
    }
    return "";
  };
  json::array columns;
  for (const auto& column : spec.columns)
    columns.push_back({{"name", column.name}, {"class", name_of(column.column_class)}});
  return columns;
}

std::string design_check_json(std::string_view yaml) {
  json::array policies;
  json::value error(nullptr);
  if (const auto specs = policy::read_policy_text(yaml, std::string(kFile))) {
    for (const auto& spec : *specs) policies.push_back(summary_of(spec));
  } else {
    error = place_json(specs.error(), kFile);
  }
  return json::serialize(json::object{{"policies", std::move(policies)}, {"error", std::move(error)}});
}

std::string what_if_json(const WhatIf& result) {
  const policy::Disclosure& found = result.disclosure;
  const json::object disclosure{{"rows", found.rows},
                                {"units", found.units},
                                {"cells", found.cells},
                                {"disclosed", found.disclosed},
                                {"computable", found.computable},
                                {"equal", found.equal},
                                {"cohorts", found.cohorts},
                                {"smallest_cohort", found.smallest_cohort},
                                {"disclosed_by_attribute", numbers_of(found.disclosed_by_attribute)},
                                {"computable_by_attribute", numbers_of(found.computable_by_attribute)},
                                {"equal_by_attribute", numbers_of(found.equal_by_attribute)}};
  return json::serialize(
      json::object{{"policy", result.policy},
                   {"k", result.k},
                   {"counted_at", result.counted_at},
                   {"attributes", json::array(result.attributes.begin(), result.attributes.end())},
                   {"disclosure", disclosure},
                   {"utility", result.utility}});
}

bool Designs::can_use(const policy::PolicySpec& spec) const {
  if (!counted_ || Clock::now() - counted_->at >= kKept) return false;
  const policy::PolicySpec& had = counted_->spec;
  if (has_constraints(spec) || has_constraints(had)) return counted_text(spec) == counted_text(had);
  const bool is_same_table = spec.database == had.database && spec.schema == had.schema &&
                             spec.table == had.table && spec.unit == had.unit;
  if (!is_same_table || !check_against(spec, counted_->relation)) return false;
  return policy::has_sources(counted_->counts, attributes_in(spec, counted_->relation));
}

void Designs::forget_old() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock && counted_ && Clock::now() - counted_->at >= kKept) counted_.reset();
}

Result<void> Designs::count(const Config& config, const policy::PolicySpec& spec) {
  counted_.reset();  // the counts of two tables need not fit in memory together
  auto reading = db::TableReading::open(
      build_endpoint(config), has_constraints(spec) ? spec : policy::without_levels(spec), kLockWaitMs);
  if (!reading) return reading.error();
  if (auto fits = check_against(spec, reading->relation()); !fits) return fits.error();
  auto counts = reading->counts();
  if (!counts) return counts.error();
  counted_ = std::make_unique<Counted>(
      Counted{spec, reading->relation(), std::move(*counts), utc_now(), Clock::now()});
  return {};
}

Result<WhatIf> Designs::what_if(const Config& config, std::string_view yaml, std::string_view policy,
                                std::uint64_t k, const IsAbandoned& is_abandoned) {
  const auto spec = spec_of(config, yaml, policy, k);
  if (!spec) return spec.error();
  const std::unique_lock lock(mutex_, kPatience);
  if (!lock)
    return design_error(ErrorKind::limit, "another question is being answered", "ask again in a moment");
  if (!can_use(*spec)) {
    if (auto done = count(config, *spec); !done) return done.error();
  }
  const bool is_exact = !has_constraints(*spec);
  const auto counts =
      is_exact ? policy::with_attributes(counted_->counts, attributes_in(*spec, counted_->relation))
               : counted_->counts;
  const auto tree = tree_unless(is_abandoned, *spec, counts);
  if (!tree) return tree.error();
  WhatIf result{
      spec->name,
      k,
      counted_->counted_at,
      {},
      policy::measure(*tree, counts),
      boost::json::parse(policy::utility_json(*tree, policy::measure_utility(*tree, counts, spec->growth)))};
  for (const auto& attribute : tree->attributes) result.attributes.push_back(attribute.name);
  return result;
}

}  // namespace pgveil::app
