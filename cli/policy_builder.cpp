#include "cli/policy_builder.hpp"

#include <fmt/format.h>

#include <utility>

#include "db/table_reading.hpp"
#include "policy/disclosure.hpp"
#include "rewriter/policy_check.hpp"
#include "rewriter/snapshot.hpp"

namespace pgveil::cli {
namespace {

// The policy against the table as this transaction sees it.
Result<void> check_against(const policy::PolicySpec& spec, const rewriter::Relation& relation) {
  rewriter::Catalog catalog;
  catalog.database = spec.database;
  catalog.relations.emplace(std::pair{relation.schema, relation.name}, relation);
  const auto findings = rewriter::check_policy(spec, catalog);
  if (!findings.errors.empty()) return findings.errors.front();
  return {};
}

db::Progress staged(const db::Progress& progress, std::string_view stage) {
  if (progress) progress(stage, 0);
  return progress;
}

}  // namespace

Result<policy::PolicyVersion> build_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                            const std::string& built_at, const db::Progress& progress) {
  auto reading = db::TableReading::open(endpoint, spec);
  if (!reading) return reading.error();
  if (auto fits = check_against(spec, reading->relation()); !fits) return fits.error();
  const auto counts = reading->counts(staged(progress, "counting"));
  if (!counts) return counts.error();
  std::function<void(double)> tree_progress;
  if (progress) {
    tree_progress = [&](double share) {
      progress("building the tree, % of rows settled", static_cast<std::uint64_t>(share * 100));
    };
  }
  auto tree = policy::build_tree(*counts, spec.k, spec.growth, tree_progress);
  if (!tree) return tree.error();
  if (auto diverse = reading->verify_distinct(*tree, progress); !diverse) return diverse.error();
  policy::PolicyVersion version{
      spec.name, 0, spec.hash, rewriter::shape_of(reading->relation()), {}, policy::measure(*tree, *counts),
      built_at};
  version.tree = std::move(*tree);
  return version;
}

Result<Recheck> recheck_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                const policy::PolicyVersion& version, const std::string& now) {
  auto reading = db::TableReading::open(endpoint, spec);
  if (!reading) return reading.error();
  Recheck recheck;
  recheck.is_same_shape = rewriter::shape_of(reading->relation()) == version.shape;
  if (!recheck.is_same_shape) return recheck;
  const auto counts = reading->counts();
  if (!counts) return counts.error();
  recheck.disclosure = policy::measure(version.tree, *counts);
  auto repaired = policy::repair(version.tree, *counts);
  if (!repaired) {
    recheck.broken_because = repaired.error().public_message;
    return recheck;
  }
  recheck.splits_below_k = repaired->collapsed;
  if (auto diverse = reading->verify_distinct(repaired->tree); !diverse) {
    if (diverse.error().kind != ErrorKind::policy) return diverse.error();
    recheck.broken_because = diverse.error().public_message;
    return recheck;
  }
  recheck.repaired = policy::PolicyVersion{
      spec.name, 0, spec.hash, version.shape, {}, policy::measure(repaired->tree, *counts), now};
  recheck.repaired->tree = std::move(repaired->tree);
  return recheck;
}

}  // namespace pgveil::cli
