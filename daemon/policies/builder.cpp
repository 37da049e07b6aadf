#include "daemon/policies/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "db/catalog/table_reading.hpp"
#include "db/versions/masked_copy.hpp"
#include "db/versions/stored_digest.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/utility/utility.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/policy_check.hpp"
#include "rewriter/mask/stored_decision.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::app {
namespace {

// A locked table discloses nothing, because nobody can read it, and other policies wait for their checks.
constexpr std::int64_t kLockWaitMs = 2'000;

// Checks the policy against the table as this transaction sees it.
Result<void> check_against(const policy::PolicySpec& spec, const rewriter::Relation& relation) {
  rewriter::Catalog catalog;
  catalog.database = spec.database;
  catalog.relations.emplace(std::pair{relation.schema, relation.name}, relation);
  const auto findings = rewriter::check_policy(spec, catalog);
  if (!findings.errors.empty()) return findings.errors.front();
  return {};
}

// Counts the columns with constraints again, one by one.
Result<void> check_cohorts(db::TableReading& reading, const policy::PolicySpec& spec,
                           const policy::DisclosureTree& tree, const policy::Counts& counts,
                           const db::Progress& progress) {
  const auto columns = reading.constrained_columns(progress);
  if (!columns) return columns.error();
  auto checked = policy::check_constraints(spec, tree, *columns);
  if (checked) return checked;
  Error error = checked.error();
  const auto k = policy::k_that_would_do(spec, counts, *columns);
  error.hint += k ? fmt::format("; k = {} would do", *k) : "; no k does";
  return error;
}

db::Progress staged(const db::Progress& progress, std::string_view stage) {
  if (progress) progress(stage, 0);
  return progress;
}

struct Grown {
  policy::DisclosureTree tree;
  policy::Lineage lineage;
  std::string note;
  bool is_repaired = false;  // splits of the earlier tree were undone
};

std::uint64_t first_of(const policy::PolicyVersion& earlier) {
  return earlier.lineage.first == 0 ? earlier.number : earlier.lineage.first;
}

Result<Grown> grow_anew(const policy::PolicySpec& spec, const policy::Counts& counts, const std::string& why,
                        const db::Progress& progress) {
  std::function<void(double)> tree_progress;
  if (progress) {
    tree_progress = [&](double share) {
      progress("building the tree, % of rows settled", static_cast<std::uint64_t>(share * 100));
    };
  }
  auto tree =
      policy::build_tree(counts, spec.k, spec.growth, tree_progress, policy::side_rules(spec, counts));
  if (!tree) return tree.error();
  auto lineage = policy::continued(nullptr, 0, *tree, counts);
  std::string note;
  if (!why.empty())
    note =
        fmt::format("a new lineage begins ({}): who has answers of both versions may tell rows apart", why);
  return Grown{std::move(*tree), std::move(lineage), std::move(note)};
}

// The quasi-identifiers are still the same columns, so a value still has its meaning.
bool has_its_columns(const policy::PolicyVersion& earlier, const policy::TableShape& shape) {
  const auto column = [](const policy::TableShape& of, int number) {
    const auto at = std::ranges::find(of.columns, number, &policy::ShapeColumn::number);
    return at == of.columns.end() ? std::optional<policy::ShapeColumn>() : std::optional(*at);
  };
  return std::ranges::all_of(earlier.tree.attributes, [&](const policy::TreeAttribute& attribute) {
    const auto now = column(shape, attribute.number);
    const auto before = column(earlier.shape, attribute.number);
    return now && before && policy::still_fits(*before, *now, true);
  });
}

// The column would not fit a tree with new splits, and the table would have to be rewritten again.
Result<Grown> only_repaired(const policy::PolicySpec& spec, const policy::PolicyVersion& before,
                            const policy::Counts& counts, policy::Undo undo) {
  auto repaired = policy::repair(before.tree, counts, policy::side_rules(spec, counts), undo);
  if (!repaired) return repaired.error();
  auto lineage = policy::continued(&before.lineage, first_of(before), repaired->tree, counts);
  return Grown{
      std::move(repaired->tree), std::move(lineage),
      fmt::format("goes on from version {}, whose decisions the table keeps: {} splits undone, none new",
                  before.number, repaired->collapsed),
      repaired->collapsed > 0};
}

Result<Grown> grow(const policy::PolicySpec& spec, const EarlierVersion& earlier,
                   const rewriter::Relation& relation, const policy::Counts& counts, policy::Undo undo,
                   const db::Progress& progress) {
  if (!earlier.version) return grow_anew(spec, counts, earlier.why, progress);
  const policy::PolicyVersion& before = *earlier.version;
  if (!has_its_columns(before, rewriter::shape_of(relation))) {
    return grow_anew(spec, counts, fmt::format("columns changed since version {}", before.number), progress);
  }
  if (spec.enforcement == policy::Enforcement::stored && rewriter::find_stored(before, relation) != nullptr)
    return only_repaired(spec, before, counts, undo);
  auto rebuilt = policy::rebuild(before.tree, before.lineage, counts, spec.growth,
                                 policy::side_rules(spec, counts), undo);
  if (!rebuilt) return rebuilt.error();
  auto lineage = policy::continued(&before.lineage, first_of(before), rebuilt->tree, counts);
  return Grown{std::move(rebuilt->tree), std::move(lineage),
               fmt::format("goes on from version {}: {} splits undone, {} new", before.number,
                           rebuilt->collapsed, rebuilt->grown),
               rebuilt->collapsed > 0};
}

// If rows of a value that fell back break a constraint at the end of their chain, the chain is cut instead.
Result<Grown> grow_within_constraints(db::TableReading& reading, const policy::PolicySpec& spec,
                                      const EarlierVersion& earlier, const policy::Counts& counts,
                                      const db::Progress& progress) {
  auto grown = grow(spec, earlier, reading.relation(), counts, policy::Undo::value, progress);
  if (!grown) return grown;
  auto kept = check_cohorts(reading, spec, grown->tree, counts, progress);
  if (!kept && grown->is_repaired) {
    grown = grow(spec, earlier, reading.relation(), counts, policy::Undo::rest, progress);
    if (!grown) return grown;
    kept = check_cohorts(reading, spec, grown->tree, counts, progress);
  }
  if (!kept) return kept.error();
  return grown;
}

}  // namespace

Result<BuiltVersion> build_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                   const EarlierVersion& earlier, const std::string& built_at,
                                   const BuildNeeds& needs, const db::Progress& progress) {
  auto reading = needs.copy_reader || needs.asks_stored ? db::TableReading::open_for_writing(endpoint, spec)
                                                        : db::TableReading::open(endpoint, spec);
  if (!reading) return reading.error();
  if (auto fits = check_against(spec, reading->relation()); !fits) return fits.error();
  const auto counts = reading->counts(staged(progress, "counting"));
  if (!counts) return counts.error();
  auto grown = grow_within_constraints(*reading, spec, earlier, *counts, progress);
  if (!grown) return grown.error();
  policy::PolicyVersion version;
  version.policy = spec.name;
  version.spec_hash = spec.hash;
  version.shape = rewriter::shape_of(reading->relation());
  version.disclosure = policy::measure(grown->tree, *counts);
  version.utility = policy::measure_utility(grown->tree, *counts, spec.growth);
  version.built_at = built_at;
  version.tree = std::move(grown->tree);
  version.lineage = std::move(grown->lineage);
  if (needs.asks_stored) {
    auto stored = db::stored_decision(*reading, version.tree);
    if (!stored) return stored.error();
    version.stored = std::move(*stored);
  }
  if (needs.copy_reader) {
    auto copy = db::make_masked_copy(*reading, version, *needs.copy_reader, progress);
    if (!copy) return copy.error();
    version.copy = std::move(*copy);
  }
  return BuiltVersion{std::move(version), std::move(grown->note)};
}

Result<Recheck> recheck_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                const policy::PolicyVersion& version, const std::string& now) {
  auto reading = db::TableReading::open(endpoint, spec, kLockWaitMs);
  if (!reading) return reading.error();
  Recheck recheck;
  recheck.is_same_shape = rewriter::is_of(version, reading->relation());
  if (!recheck.is_same_shape) return recheck;
  const auto counts = reading->counts();
  if (!counts) return counts.error();
  recheck.disclosure = policy::measure(version.tree, *counts);
  recheck.utility = policy::measure_utility(version.tree, *counts, spec.growth);
  const auto columns = reading->constrained_columns();
  if (!columns) return columns.error();
  auto repaired = policy::repair_within_constraints(spec, version.tree, *counts, *columns);
  if (!repaired) {
    recheck.broken_because = repaired.error().public_message;
    return recheck;
  }
  recheck.splits_below_k = repaired->collapsed;
  recheck.repaired.emplace();
  recheck.repaired->policy = spec.name;
  recheck.repaired->spec_hash = spec.hash;
  recheck.repaired->shape = version.shape;
  recheck.repaired->disclosure = policy::measure(repaired->tree, *counts);
  recheck.repaired->utility =
      repaired->collapsed == 0 ? recheck.utility
                               : policy::measure_utility(repaired->tree, *counts, spec.growth);
  recheck.repaired->built_at = now;
  recheck.repaired->lineage = policy::continued(&version.lineage, first_of(version), repaired->tree, *counts);
  recheck.repaired->tree = std::move(repaired->tree);
  return recheck;
}

}  // namespace pgveil::app
