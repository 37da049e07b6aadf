#include "daemon/policies/attack_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "daemon/policies/attack_versions.hpp"
#include "daemon/policies/how_made.hpp"
#include "daemon/policies/together.hpp"
#include "daemon/policies/versions.hpp"
#include "db/catalog/table_reading.hpp"
#include "policy/release/joint_release.hpp"
#include "policy/spec/entity_group.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::app {
namespace {

Result<std::vector<std::uint32_t>> known_attributes(const policy::DisclosureTree& tree,
                                                    const std::vector<std::string>& names) {
  std::vector<std::uint32_t> known;
  for (const std::string& name : names) {
    bool is_found = false;
    for (std::uint32_t a = 0; a < tree.attributes.size(); ++a) {
      const auto& attribute = tree.attributes[a];
      if (attribute.name != name && (!attribute.level || attribute.level->source != name)) continue;
      is_found = true;
      if (std::ranges::find(known, a) == known.end()) known.push_back(a);
    }
    if (!is_found)
      return Error{ErrorKind::usage, "22023",
                   fmt::format("\"{}\" is not a quasi-identifier of this policy", name),
                   "pgveil policy explain shows them"};
  }
  std::ranges::sort(known);
  return known;
}

// Readers of all policies over the table. nullopt: there is only one.
Result<std::optional<attack::TogetherFindings>> attack_together(const Config& config, const Specs& specs,
                                                                const StoredPolicy& stored,
                                                                std::vector<std::string>& not_tried) {
  std::optional<attack::TogetherFindings> made;
  const auto versions = Versions::open(config, stored.spec->database);
  if (!versions) return versions.error();
  const auto all = versions->load(specs);
  if (!all) return all.error();
  std::vector<const policy::PolicySpec*> policies;
  std::vector<std::shared_ptr<const policy::PolicyVersion>> built;
  for (const auto& spec : specs) {
    if (spec->database != stored.spec->database || spec->schema != stored.spec->schema ||
        spec->table != stored.spec->table || spec->source)
      continue;
    const auto found = all->versions.find(spec->name);
    if (found == all->versions.end() || !found->second || !found->second->version) {
      not_tried.push_back(fmt::format("Policy {} over the same table: it has no version.", spec->name));
      continue;
    }
    policies.push_back(spec.get());
    built.push_back(found->second->version);
  }
  if (policies.size() < 2) return made;
  const auto counted = Together::count(config, policies);
  if (!counted) return counted.error();
  policy::Trees trees;
  std::uint64_t required = 0;
  made.emplace();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!counted->covers(built[i]->tree)) {
      not_tried.push_back(fmt::format(
          "Policy {} over the same table: its columns changed since it was built.", policies[i]->name));
      continue;
    }
    trees.push_back(&built[i]->tree);
    made->policies.push_back(policies[i]->name);
    required = std::max(required, policies[i]->k);
  }
  if (trees.size() < 2) return std::optional<attack::TogetherFindings>();
  const auto& counts = counted->counts_of(*stored.spec);
  made->required = required;
  for (const auto& one : policy::JointClasses(trees, counts).below(counts, required)) {
    if (!one.has_rows) continue;
    ++made->small_classes;
    made->smallest = made->smallest == 0 ? one.units : std::min(made->smallest, one.units);
  }
  return made;
}

// What the exact solver left to the bounds; empty: nothing.
std::string what_stays_open(const attack::Attacker& attacker) {
  constexpr std::string_view kBounds =
      "The bounds are sound, but some cells may be certain that they do not find.";
  switch (attacker.findings.exactness) {
    case attack::Exactness::settled: return {};
    case attack::Exactness::ran_out:
      return fmt::format(
          "An exact answer for the {}, in {} pairs of a class and a column: the solver reached its limit "
          "there. {}",
          attacker.name, attacker.findings.unsettled(), kBounds);
    case attack::Exactness::not_asked: return fmt::format("An exact solver. {}", kBounds);
    case attack::Exactness::too_large:
      return fmt::format("An exact solver: the tree has too many nodes and values for it. {}", kBounds);
    case attack::Exactness::no_solver:
      return fmt::format("An exact solver: this program was built without one (Z3). {}", kBounds);
  }
  return {};
}

void add_what_is_never_tried(attack::AttackReport& report, const policy::PolicySpec& spec) {
  auto& lines = report.not_tried;
  for (const auto& it : report.attackers.front().findings.attributes) {
    if (it.is_left_out)
      lines.push_back(fmt::format("Column {}: it has too many values for a tree of this size.", it.name));
  }
  for (const auto& attacker : report.attackers) {
    const auto line = what_stays_open(attacker);
    if (!line.empty() && std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  }
  lines.emplace_back("Sensitive and insensitive columns: they are shown as they are.");
  if (std::ranges::any_of(spec.columns, [](const auto& it) { return !it.constraints.empty(); }))
    lines.emplace_back("What constraints on sensitive columns give away (docs/attack-model.md).");
  if (spec.growth.max_cohorts) lines.emplace_back("What follows from where max_cohorts cut the tree.");
  lines.emplace_back("Exports, and watching the table while it changes.");
  lines.emplace_back("The order of rows, the time of answers, and statistics.");
}

}  // namespace

Result<attack::AttackReport> attack_policy(const Config& config, const Specs& specs,
                                           const StoredPolicy& stored, const std::vector<std::string>& knows,
                                           const std::vector<policy::PolicyVersion>& earlier) {
  const auto& spec = *stored.spec;
  const auto& tree = stored.version->tree;
  if (spec.source || policy::key_of(spec) != nullptr)
    return error_of_kind(ErrorKind::policy,
                         fmt::format("policy {} shows the rows of a source or of an entity", spec.name),
                         "pgveil attack knows only policies over one table");
  if (!policy::is_built_from(*stored.version, spec))
    return error_of_kind(ErrorKind::policy,
                         fmt::format("policy {} was edited since its version was built", spec.name),
                         fmt::format("pgveil policy build {}", spec.name));
  auto reading = db::TableReading::open(build_endpoint(config), spec);
  if (!reading) return reading.error();
  const auto counts = reading->counts();
  if (!counts) return counts.error();
  if (counts->attributes.size() != tree.attributes.size())
    return error_of_kind(ErrorKind::policy, "the table's columns changed since the version was built",
                         fmt::format("pgveil policy build {}", spec.name));

  attack::AttackReport report;
  report.pgveil = PGVEIL_VERSION;
  report.policy = spec.name;
  report.policy_print = spec.hash;
  report.table = spec.schema + "." + spec.table;
  report.version = stored.version->number;
  report.built_at = stored.version->built_at;
  report.k = spec.k;
  report.strategy = spec.growth.strategy == policy::Strategy::greedy ? "greedy" : "thorough";
  if (!stored.note.empty()) report.not_tried.push_back("Note: the version is " + stored.note + ".");
  const HowMade how = how_made(tree, spec, *counts);
  if (!how.why.empty())
    report.not_tried.push_back(fmt::format(
        "Following from the choice of splits (minimality): {}. Paths and sizes were used.", how.why));
  const auto by_path = attack::knowledge_of(tree, *counts, spec.growth, attack::Made::unknown);
  const auto by_rules = attack::knowledge_of(tree, *counts, spec.growth, how.made);
  report.attackers.push_back({"reader", "has all answers, the tree, and the values that occur in each column",
                              attack::attack_tree(by_path, *counts)});
  report.attackers.push_back({"reader who knows the algorithm",
                              "also uses why each split was chosen, and why no further one was",
                              attack::attack_tree(by_rules, *counts)});
  report.attackers.push_back({"reader who knows the totals",
                              "also knows how often each value occurs in the whole table",
                              attack::attack_tree(attack::with_totals(by_rules, tree, *counts), *counts)});
  if (!knows.empty()) {
    const auto known = known_attributes(tree, knows);
    if (!known) return known.error();
    report.persons = attack::attack_known(by_rules, *counts, report.attackers[1].findings, *known);
  } else {
    report.not_tried.emplace_back(
        "Somebody who knows columns of persons: name them with --knows, or KNOWS on the console.");
  }
  auto together = attack_together(config, specs, stored, report.not_tried);
  if (!together) return together.error();
  report.together = std::move(*together);
  auto over_versions = attack_earlier_versions(config, stored, earlier, report.not_tried);
  if (!over_versions) return over_versions.error();
  report.over_versions = std::move(*over_versions);
  add_what_is_never_tried(report, spec);
  return report;
}

}  // namespace pgveil::app
