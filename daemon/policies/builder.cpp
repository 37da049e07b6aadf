#include "daemon/policies/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "common/sqlstate.hpp"
#include "db/catalog/table_reading.hpp"
#include "db/policy_table/staged_tables.hpp"
#include "db/versions/masked_copy.hpp"
#include "db/versions/stored_digest.hpp"
#include "policy/builder/constraint_repair.hpp"
#include "policy/spec/entity_group.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/tree/turns.hpp"
#include "policy/utility/utility.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/policy_check.hpp"
#include "rewriter/mask/stored_decision.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::app {
namespace {

// A locked table discloses nothing, because nobody can read it, and other policies wait for their checks.
constexpr std::int64_t kLockWaitMs = 2'000;

db::Progress in_steps(const BuildProgress& progress) {
  if (!progress) return {};
  return
      [&progress](std::string_view stage, std::uint64_t done) { progress({.stage = stage, .done = done}); };
}

Result<db::TableReading> open_rows(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                   const BuildNeeds& needs, const BuildProgress& progress) {
  if (!spec.source) return db::TableReading::open(endpoint, spec);
  if (!needs.select || !needs.copy_reader) {
    return Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
                 fmt::format("policy {} has a source, whose rows only a BUILD evaluates", spec.name),
                 fmt::format("run pgveil policy build {}", spec.name)};
  }
  const auto staged = db::StagedTables::stage(endpoint, spec.database, {{spec, *needs.select, needs.reads}},
                                              *needs.copy_reader, in_steps(progress));
  if (!staged) return staged.error();
  return staged->reading(0);
}

// Opens the table again, if it is still the one that was counted. Its rows may have changed, unless they are
// staged.
Result<db::TableReading> open_again(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                    const policy::TableShape& counted) {
  auto reading = db::TableReading::open_for_writing(endpoint, spec);
  if (!reading || rewriter::shape_of(reading->relation()) == counted) return reading;
  return Error{ErrorKind::policy, std::string(sqlstate::kSerializationFailure),
               fmt::format("the table of policy {} was altered while the policy was built", spec.name),
               "build it again"};
}

constexpr std::string_view kTreeStage = "building the tree";

struct Grown {
  policy::DisclosureTree tree;
  policy::Lineage lineage;
  std::string note;
  bool is_repaired = false;  // splits of the earlier tree were undone
};

// Joins the cohorts that break a constraint of mode hide. Then all constraints are checked, by counts of
// their own.
Result<void> check_cohorts(const policy::PolicySpec& spec, const Counted& counted, Grown& grown) {
  auto hidden = policy::with_breaches_hidden(grown.tree, counted.constrained);
  grown.tree = std::move(hidden.tree);
  if (hidden.joined > 0) {
    grown.note += fmt::format("{}{} cohorts were joined with others, because they violated a constraint",
                              grown.note.empty() ? "" : "; ", hidden.joined);
  }
  auto checked = policy::check_constraints(spec, grown.tree, counted.constrained);
  if (checked) return checked;
  Error error = checked.error();
  const auto k = policy::k_that_would_do(spec, counted.counts, counted.constrained);
  error.hint += k ? fmt::format("; k = {} would satisfy it", *k) : "; no k does";
  return error;
}

std::uint64_t first_of(const policy::PolicyVersion& earlier) {
  return earlier.lineage.first == 0 ? earlier.number : earlier.lineage.first;
}

Result<Grown> grow_anew(const policy::PolicySpec& spec, const policy::Counts& counts, const std::string& why,
                        const BuildProgress& progress) {
  std::function<void(double)> tree_progress;
  if (progress)
    tree_progress = [&](double share) { progress({.stage = kTreeStage, .done = 0, .share = share}); };
  auto tree =
      policy::build_tree(counts, spec.k, spec.growth, tree_progress, policy::side_rules(spec, counts));
  if (!tree) return tree.error();
  auto lineage = policy::continued(nullptr, 0, *tree, counts);
  std::vector<std::string> notes;
  if (!why.empty()) {
    notes.push_back(
        fmt::format("a new lineage begins ({}): readers who have answers of both versions may be "
                    "able to distinguish rows",
                    why));
  }
  if (!tree->turns.empty())
    notes.push_back(fmt::format("the order found for its workload: {}", policy::describe_turns(*tree)));
  return Grown{std::move(*tree), std::move(lineage), fmt::format("{}", fmt::join(notes, "; "))};
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
  return Grown{std::move(repaired->tree), std::move(lineage),
               fmt::format("continues version {}, whose decisions the table stores: {} splits undone, none "
                           "new",
                           before.number, repaired->collapsed),
               repaired->collapsed > 0};
}

Result<Grown> grow(const policy::PolicySpec& spec, const EarlierVersion& earlier,
                   const rewriter::Relation& relation, const policy::Counts& counts, policy::Undo undo,
                   const BuildProgress& progress) {
  if (progress) progress({.stage = kTreeStage});
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
               fmt::format("continues version {}: {} splits undone, {} new", before.number,
                           rebuilt->collapsed, rebuilt->grown),
               rebuilt->collapsed > 0};
}

// If rows of a value that fell back break a constraint at the end of their chain, the chain is cut instead.
Result<Grown> grow_within_constraints(const policy::PolicySpec& spec, const EarlierVersion& earlier,
                                      const Counted& counted, const BuildProgress& progress) {
  auto grown = grow(spec, earlier, counted.relation, counted.counts, policy::Undo::value, progress);
  if (!grown) return grown;
  auto kept = check_cohorts(spec, counted, *grown);
  if (!kept && grown->is_repaired) {
    grown = grow(spec, earlier, counted.relation, counted.counts, policy::Undo::rest, progress);
    if (!grown) return grown;
    kept = check_cohorts(spec, counted, *grown);
  }
  if (!kept) return kept.error();
  return grown;
}

// What is asked of the table once more, when the tree is there. staged: the rows that were counted, if they
// are kept.
Result<void> add_needs(const db::Endpoint& endpoint, const policy::PolicySpec& spec, const BuildNeeds& needs,
                       std::optional<db::TableReading> staged, const BuildProgress& progress,
                       BuiltVersion& built) {
  if (!needs.asks_stored && !needs.copy_reader) return {};
  auto reading =
      staged ? Result<db::TableReading>(std::move(*staged)) : open_again(endpoint, spec, built.version.shape);
  if (!reading) return reading.error();
  if (auto resumed = reading->resume(); !resumed) return resumed;
  if (needs.copy_reader) return add_copy(*reading, *needs.copy_reader, progress, built);
  auto stored = db::stored_decision(*reading, built.version.tree);
  if (!stored) return stored.error();
  built.version.stored = std::move(*stored);
  return {};
}

}  // namespace

Result<void> check_against(const policy::PolicySpec& spec, const rewriter::Relation& relation) {
  rewriter::Catalog catalog;
  catalog.database = spec.database;
  catalog.relations.emplace(std::pair{relation.schema, relation.name}, relation);
  const auto findings = rewriter::check_policy(spec, catalog);
  if (!findings.errors.empty()) return findings.errors.front();
  if (findings.closing) return *findings.closing;
  return {};
}

Result<Counted> count_rows(db::TableReading& reading, const BuildProgress& progress) {
  const policy::PolicySpec& spec = reading.spec();
  if (auto fits = check_against(spec, reading.relation()); !fits) return fits.error();
  if (auto resumed = reading.resume(); !resumed) return resumed.error();
  if (progress) progress({.stage = "counting"});
  auto counts = reading.counts(in_steps(progress));
  if (!counts) return counts.error();
  auto constrained = reading.constrained_columns(in_steps(progress));
  if (!constrained) return constrained.error();
  if (auto paused = reading.pause(); !paused) return paused.error();
  return Counted{reading.relation(), std::move(*counts), std::move(*constrained)};
}

Result<void> add_copy(db::TableReading& reading, const std::string& reader, const BuildProgress& progress,
                      BuiltVersion& built) {
  auto made = db::make_masked_copy(reading, built.version, reader, in_steps(progress));
  if (!made) return made.error();
  built.version.copy = std::move(made->shape);
  built.version.tree = std::move(made->tree);
  built.version.lineage = std::move(made->lineage);
  built.version.disclosure = made->disclosure;
  built.version.utility = std::move(made->utility);
  if (made->collapsed == 0) return {};
  built.note += fmt::format("{}rows changed while the tree was built: {} splits were undone",
                            built.note.empty() ? "" : "; ", made->collapsed);
  return {};
}

Result<BuiltVersion> grow_version(const policy::PolicySpec& spec, const EarlierVersion& earlier,
                                  const std::string& built_at, const Counted& counted,
                                  const BuildProgress& progress) {
  auto grown = grow_within_constraints(spec, earlier, counted, progress);
  if (!grown) return grown.error();
  if (progress) progress({.stage = "measuring what it shows"});
  BuiltVersion built;
  built.version.policy = spec.name;
  built.version.spec_hash = spec.hash;
  built.version.shape = rewriter::shape_of(counted.relation);
  built.version.disclosure = policy::measure(grown->tree, counted.counts);
  built.version.utility = policy::measure_utility(grown->tree, counted.counts, spec.growth);
  built.version.built_at = built_at;
  built.version.tree = std::move(grown->tree);
  built.version.lineage = std::move(grown->lineage);
  built.note = std::move(grown->note);
  return built;
}

Result<BuiltVersion> build_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                   const EarlierVersion& earlier, const std::string& built_at,
                                   const BuildNeeds& needs, const BuildProgress& progress) {
  auto opened = open_rows(endpoint, spec, needs, progress);
  if (!opened) return opened.error();
  std::optional<db::TableReading> reading = std::move(*opened);
  const auto counted = count_rows(*reading, progress);
  if (!counted) return counted.error();
  if (!reading->is_staged()) reading.reset();  // ends its transaction
  auto built = grow_version(spec, earlier, built_at, *counted, progress);
  if (!built) return built;
  if (auto added = add_needs(endpoint, spec, needs, std::move(reading), progress, *built); !added)
    return added.error();
  return built;
}

Result<Recheck> recheck_version(const db::Endpoint& endpoint, const policy::PolicySpec& spec,
                                const policy::PolicyVersion& version, const std::string& now) {
  // Only a BUILD evaluates sources and histories, and the copy does not change by itself.
  if (spec.source || policy::key_of(spec) != nullptr) {
    Recheck as_built;
    as_built.disclosure = version.disclosure;
    as_built.utility = version.utility.value_or(policy::Utility{});
    return as_built;
  }
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
  recheck.repaired->utility = repaired->collapsed == 0
                                  ? recheck.utility
                                  : policy::measure_utility(repaired->tree, *counts, spec.growth);
  recheck.repaired->built_at = now;
  recheck.repaired->lineage = policy::continued(&version.lineage, first_of(version), repaired->tree, *counts);
  recheck.repaired->tree = std::move(repaired->tree);
  return recheck;
}

}  // namespace pgveil::app
