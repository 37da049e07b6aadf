#include "web/api/design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <optional>
#include <thread>

#include "common/clock.hpp"
#include "common/sqlstate.hpp"
#include "daemon/policies/builder.hpp"
#include "db/catalog/table_reading.hpp"
#include "policy/cohorts/constraint_check.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "policy/spec/entity_group.hpp"
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
                                   std::optional<std::uint64_t> k) {
  if (k && (*k < 2 || *k > kLargestK)) return design_error(ErrorKind::usage, "k is outside 2 to 2^53");
  const auto specs = policy::read_policy_text(yaml, std::string(kFile));
  if (!specs) return specs.error();
  const auto found = std::ranges::find(*specs, name, &policy::PolicySpec::name);
  if (found == specs->end())
    return design_error(ErrorKind::unknown_object, "the text has no policy of this name");
  const auto& databases = config.backend.databases;
  if (std::ranges::find(databases, found->database) == databases.end())
    return design_error(ErrorKind::unknown_object, "the policy's database is none of backend.databases");
  policy::PolicySpec spec = *found;
  spec.k = k.value_or(spec.k);
  return spec;
}

// For a table that somebody changes. Others want to ask, too.
constexpr std::int64_t kLockWaitMs = 10'000;

constexpr std::chrono::seconds kPatience{10};       // with the question of somebody else
constexpr std::chrono::milliseconds kBetween{100};  // two looks whether somebody still waits

Error abandoned() {
  return {ErrorKind::limit, std::string(sqlstate::kQueryCanceled), "the question was abandoned", "ask again"};
}

// A configuration whose queries end as soon as nobody waits for their answer, or the process ends.
class Abandonable {
 public:
  Abandonable(const Config& config, const Designs::IsAbandoned& is_abandoned) : config_(config) {
    const auto interrupt = std::make_shared<db::Interrupt>(config.interrupt);
    config_.interrupt = interrupt;
    watch_ = std::jthread([interrupt, is_abandoned](const std::stop_token& stop) {
      while (!stop.stop_requested() && !is_abandoned()) std::this_thread::sleep_for(kBetween);
      if (!stop.stop_requested()) interrupt->end_all();
    });
  }
  [[nodiscard]] const Config& config() const { return config_; }

 private:
  Config config_;
  std::jthread watch_;
};

// Waits for the question of somebody else, unless nobody waits for this one.
Result<std::unique_lock<std::timed_mutex>> turn(std::timed_mutex& mutex,
                                                const Designs::IsAbandoned& is_abandoned) {
  std::unique_lock lock(mutex, std::defer_lock);
  const auto last = std::chrono::steady_clock::now() + kPatience;
  while (!lock.try_lock_for(kBetween)) {
    if (is_abandoned()) return abandoned();
    if (std::chrono::steady_clock::now() > last)
      return design_error(ErrorKind::limit, "another question is being answered", "ask again in a moment");
  }
  return lock;
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

std::string_view class_word(policy::ColumnClass column_class) {
  switch (column_class) {
    case policy::ColumnClass::identifier: return "identifier";
    case policy::ColumnClass::quasi_identifier: return "quasi_identifier";
    case policy::ColumnClass::sensitive: return "sensitive";
    case policy::ColumnClass::insensitive: return "insensitive";
    case policy::ColumnClass::key: return "key";
  }
  return "";
}

json::array classes_json(const policy::PolicySpec& spec) {
  json::array columns;
  for (const auto& column : spec.columns)
    columns.push_back({{"name", column.name}, {"class", class_word(column.column_class)}});
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

namespace {

json::object disclosure_json(const policy::Disclosure& found) {
  return {{"rows", found.rows},
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
}

}  // namespace

json::object curve_json(const Curve& curve) {
  json::array points;
  for (const auto& point : curve.points) {
    if (point.found) {
      points.push_back({{"k", point.k},
                        {"disclosure", disclosure_json(point.found->disclosure)},
                        {"utility", point.found->utility}});
    } else {
      points.push_back({{"k", point.k}, {"error", point.found.error().public_message}});
    }
  }
  return {{"policy", curve.policy},
          {"counted_at", curve.counted_at},
          {"attributes", json::array(curve.attributes.begin(), curve.attributes.end())},
          {"points", std::move(points)}};
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

Result<void> Designs::have_counts(const Config& config, const policy::PolicySpec& spec,
                                  const IsAbandoned& is_abandoned) {
  if (is_abandoned()) return abandoned();
  if (can_use(spec)) return {};
  const Abandonable asked(config, is_abandoned);
  auto done = count(asked.config(), spec);
  if (!done && is_abandoned()) return abandoned();
  return done;
}

policy::Counts Designs::counts_for(const policy::PolicySpec& spec) const {
  if (has_constraints(spec)) return counted_->counts;
  return policy::with_attributes(counted_->counts, attributes_in(spec, counted_->relation));
}

Result<Prospect> Designs::answer(const policy::PolicySpec& spec, const IsAbandoned& is_abandoned) const {
  const auto counts = counts_for(spec);
  const auto tree = tree_unless(is_abandoned, spec, counts);
  if (!tree) return tree.error();
  Prospect result{
      {},
      policy::measure(*tree, counts),
      boost::json::parse(policy::utility_json(*tree, policy::measure_utility(*tree, counts, spec.growth)))};
  for (const auto& attribute : tree->attributes) result.attributes.push_back(attribute.name);
  return result;
}

Result<Curve> Designs::curve(const Config& config, std::string_view yaml, std::string_view policy,
                             const std::vector<std::uint64_t>& ks, const IsAbandoned& is_abandoned) {
  if (ks.empty() || ks.size() > kMostPoints)
    return design_error(ErrorKind::usage, fmt::format("a curve has 1 to {} k", kMostPoints));
  std::vector<policy::PolicySpec> specs;
  for (const std::uint64_t k : ks) {
    auto spec = spec_of(config, yaml, policy, k);
    if (!spec) return spec.error();
    specs.push_back(std::move(*spec));
  }
  const auto lock = turn(mutex_, is_abandoned);
  if (!lock) return lock.error();
  if (auto done = have_counts(config, specs.front(), is_abandoned); !done) return done.error();
  Curve curve{specs.front().name, counted_->counted_at, {}, {}};
  for (const auto& spec : specs) {
    auto point = answer(spec, is_abandoned);
    if (is_abandoned()) return abandoned();
    if (point) curve.attributes = point->attributes;
    curve.points.push_back({spec.k, std::move(point)});
  }
  return curve;
}

Result<DraftVersion> Designs::draft_version(const Config& config, std::string_view yaml,
                                            std::string_view policy, const IsAbandoned& is_abandoned) {
  auto spec = spec_of(config, yaml, policy, std::nullopt);
  if (!spec) return spec.error();
  if (spec->source || policy::key_of(*spec) != nullptr || spec->enforcement == policy::Enforcement::copy)
    return design_error(ErrorKind::policy, "the rows of this policy are made by BUILD",
                        "apply and build it, and look at its raw rows then");
  const auto lock = turn(mutex_, is_abandoned);
  if (!lock) return lock.error();
  Result<BuiltVersion> built = abandoned();
  if (has_constraints(*spec)) {
    const Abandonable asked(config, is_abandoned);
    built = build_version(build_endpoint(asked.config()), *spec, {}, utc_now(), {});
  } else {
    if (auto done = have_counts(config, *spec, is_abandoned); !done) return done.error();
    built = grow_version(*spec, {}, counted_->counted_at, {counted_->relation, counts_for(*spec), {}}, {});
  }
  if (is_abandoned()) return abandoned();
  if (!built) return built.error();
  return DraftVersion{std::make_shared<const policy::PolicySpec>(std::move(*spec)),
                      std::move(built->version)};
}

}  // namespace pgveil::app
