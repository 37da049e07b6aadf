#include "cli/policies/lineage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>

#include "cli/policies/versions.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "db/table_reading.hpp"
#include "policy/joint_release.hpp"
#include "policy/leveled_counts.hpp"

namespace pgveil::cli {
namespace {

using policy::PolicySpec;
using policy::PolicyVersion;

struct Release {
  const PolicySpec& spec;
  const PolicyVersion* version = nullptr;  // null: not built, or not current
};

bool is_of_one_table(const PolicySpec& a, const PolicySpec& b) {
  return a.database == b.database && a.schema == b.schema && a.table == b.table && a.name != b.name;
}

// Null: not built, withdrawn, or built from another text.
Result<std::shared_ptr<const PolicyVersion>> current_version(const Config& config,
                                                             const std::shared_ptr<const PolicySpec>& spec) {
  const auto versions = Versions::open(config, spec->database);
  if (!versions) return versions.error();
  const auto all = versions->load({spec});
  if (!all) return all.error();
  const auto& stored = all->at(spec->name);
  if (!stored) return stored.error();
  if (stored->withdrawn || !stored->version || stored->version->spec_hash != spec->hash)
    return std::shared_ptr<const PolicyVersion>();
  return stored->version;
}

Finding judged(const Release& a, const Release& b, std::string what, std::string mend) {
  Finding finding{
      FindingKind::joint_release, Severity::error, "",
      fmt::format("policies {} and {} release the same people: {}", a.spec.name, b.spec.name, what),
      std::move(mend)};
  for (const auto* spec : {&a.spec, &b.spec}) {
    if (!spec->accept_joint_release) continue;
    finding.severity = Severity::note;
    finding.mend = fmt::format("accepted by {}: {}", spec->name, *spec->accept_joint_release);
  }
  return finding;
}

std::optional<Finding> shown_and_hidden(const Release& a, const Release& b) {
  for (const auto& [shows, hides] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const auto names = policy::shown_though_hidden(shows->spec, hides->spec);
    if (names.empty()) continue;
    return judged(a, b,
                  fmt::format("{} shows {}, which {} hides", shows->spec.name, fmt::join(names, ", "),
                              hides->spec.name),
                  "class these columns alike in both, or write accept_joint_release: \"why\"");
  }
  return std::nullopt;
}

// One policy that counts by the quasi-identifiers of both.
PolicySpec counted_together(const PolicySpec& a, const PolicySpec& b,
                            const std::optional<std::string>& unit) {
  PolicySpec both = policy::without_levels(a);
  both.unit = unit;
  for (const auto& rule : policy::without_levels(b).columns) {
    if (rule.column_class != policy::ColumnClass::quasi_identifier) continue;
    const auto twin = std::ranges::find(both.columns, rule.name, &policy::ColumnRule::name);
    if (twin == both.columns.end()) {
      both.columns.push_back(rule);
    } else {
      twin->column_class = policy::ColumnClass::quasi_identifier;
    }
  }
  return both;
}

Result<std::optional<Finding>> counted(const Config& config, const Release& a, const Release& b) {
  std::set<std::optional<std::string>> units = {a.spec.unit, b.spec.unit};
  for (const auto& unit : units) {
    std::uint64_t required = 0;
    for (const auto* spec : {&a.spec, &b.spec})
      required = spec->unit == unit ? std::max(required, spec->k) : required;
    auto reading = db::TableReading::open(build_endpoint(config), counted_together(a.spec, b.spec, unit));
    if (!reading) return reading.error();
    const auto counts = reading->counts();
    if (!counts) return counts.error();
    const auto& tree_a = a.version->tree;
    const auto& tree_b = b.version->tree;
    // A version of other columns is closed until it is built again, and then judged again.
    if (!policy::has_sources(*counts, tree_a.attributes) || !policy::has_sources(*counts, tree_b.attributes))
      continue;
    const auto joint = policy::joint_release(tree_a, tree_b, *counts, required);
    if (joint.is_sound()) continue;
    return std::optional(judged(a, b,
                                fmt::format("their smallest common class has {} units where {} are promised "
                                            "({} of {} with {} of {}; {} classes "
                                            "are too small)",
                                            joint.smallest, joint.required, joint.smallest_in_a, a.spec.name,
                                            joint.smallest_in_b, b.spec.name, joint.below),
                                "use one policy for both, or write accept_joint_release: \"why\""));
  }
  return std::optional<Finding>();
}

Result<std::optional<Finding>> judge(const Config& config, const Release& a, const Release& b,
                                     Counting counting) {
  if (auto found = shown_and_hidden(a, b)) return found;
  if (counting == Counting::none || a.version == nullptr || b.version == nullptr)
    return std::optional<Finding>();
  return counted(config, a, b);
}

}  // namespace

Result<std::vector<Finding>> lineage_findings(const Config& config, const Specs& specs,
                                              const std::string& database, Counting counting) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i]->database != database) continue;
    for (std::size_t j = i + 1; j < specs.size(); ++j) {
      if (!is_of_one_table(*specs[i], *specs[j])) continue;
      const auto a = current_version(config, specs[i]);
      if (!a) return a.error();
      const auto b = current_version(config, specs[j]);
      if (!b) return b.error();
      auto found = judge(config, {*specs[i], a->get()}, {*specs[j], b->get()}, counting);
      if (!found) return found.error();
      if (*found) findings.push_back(std::move(**found));
    }
  }
  return findings;
}

Result<void> check_lineage(const Config& config, const Specs& specs, const PolicySpec& spec,
                           const PolicyVersion& version) {
  for (const auto& other : specs) {
    if (!is_of_one_table(spec, *other)) continue;
    const auto current = current_version(config, other);
    if (!current) return current.error();
    const auto found = judge(config, {spec, &version}, {*other, current->get()}, Counting::live);
    if (!found) return found.error();
    if (!*found) continue;
    if ((*found)->severity == Severity::error) {
      return Error{ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege), (*found)->what,
                   (*found)->mend};
    }
    log::warning("policy " + spec.name, fmt::format("{}; {}", (*found)->what, (*found)->mend));
  }
  return {};
}

}  // namespace pgveil::cli
