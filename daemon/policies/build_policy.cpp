#include "daemon/policies/build_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "common/clock.hpp"
#include "daemon/policies/build_needs.hpp"
#include "daemon/policies/builder.hpp"
#include "daemon/policies/examination.hpp"
#include "daemon/policies/masked_copies.hpp"
#include "db/versions/entity_tables.hpp"
#include "policy/spec/entity_group.hpp"
#include "policy/tree/disclosure.hpp"
#include "rewriter/catalog/table_shape.hpp"

namespace pgveil::app {
namespace {

using policy::PolicySpec;
using policy::PolicyVersion;

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{} %", whole == 0 ? 0 : part * 100 / whole);
}

db::Progress db_progress(const BuildProgress& progress) {
  if (!progress) return {};
  return
      [&progress](std::string_view stage, std::uint64_t done) { progress({.stage = stage, .done = done}); };
}

Result<std::vector<Candidate>> build_alone(const Config& config,
                                           const std::shared_ptr<const PolicySpec>& spec, Lineage lineage,
                                           const BuildProgress& progress) {
  const auto earlier = earlier_version(config, spec, lineage);
  if (!earlier) return earlier.error();
  const auto needs = build_needs(config, *spec);
  if (!needs) return needs.error();
  auto built = build_version(build_endpoint(config), *spec, *earlier, utc_now(), *needs, progress);
  if (!built) return built.error();
  return std::vector{Candidate{spec, std::move(built->version), std::move(built->note), earlier->mark}};
}

// One build of the tables of an entity. Its candidates are complete when run() returns.
class EntityBuild {
 public:
  EntityBuild(const Config& config, const Specs& members, const BuildProgress& progress)
      : config_(config), members_(members), progress_(progress), built_at_(utc_now()) {}

  Result<std::vector<Candidate>> run(Lineage lineage) && {
    auto done = build(lineage);
    if (done) return std::move(candidates_);
    for (const auto& one : candidates_) drop_unpublished(config_, *one.spec, one.version);
    return done.error();
  }

 private:
  Result<void> build(Lineage lineage) {
    for (const auto& spec : members_) {
      auto earlier = earlier_version(config_, spec, lineage);
      if (!earlier) return earlier.error();
      earlier_.push_back(std::move(*earlier));
    }
    auto opened = open();
    if (!opened) return opened.error();
    db::EntityTables tables = std::move(*opened);
    if (auto done = build_persons(tables); !done) return done;
    auto classes = tables.classes(*candidates_.front().version.copy);
    if (!classes) return classes.error();
    classes_ = std::move(*classes);
    for (std::size_t fact = 0; fact < tables.facts(); ++fact) {
      if (auto done = build_fact(tables, fact); !done) return done;
    }
    return recount(tables);
  }

  Result<db::EntityTables> open() {
    std::vector<db::ToStage> to_stage;
    for (const auto& spec : members_) {
      auto needs = build_needs(config_, *spec);
      if (!needs) return needs.error();
      to_stage.push_back({*spec, needs->select.value_or(""), needs->reads});
    }
    const std::string& reader = config_.backend.query_role.user;
    auto staged = db::StagedTables::stage(build_endpoint(config_), members_.front()->database, to_stage,
                                          reader, db_progress(progress_));
    if (!staged) return staged.error();
    for (std::size_t i = 0; i < staged->size(); ++i) {
      if (auto fits = check_against(*members_[i], staged->reading(i).relation()); !fits) return fits.error();
    }
    return db::EntityTables::open(std::move(*staged), reader, db_progress(progress_));
  }

  // The entity's own table: the usual tree, one person for each row.
  Result<void> build_persons(db::EntityTables& tables) {
    auto reading = tables.persons();
    const auto counted = count_rows(reading, progress_);
    if (!counted) return counted.error();
    auto built = grow_version(*members_.front(), earlier_.front(), built_at_, *counted, progress_);
    if (!built) return built.error();
    auto keyed = tables.persons_with_pseudonyms();
    if (auto resumed = keyed.resume(); !resumed) return resumed;
    auto made = add_copy(keyed, config_.backend.query_role.user, progress_, *built);
    if (!made) return made;
    candidates_.push_back(
        {members_.front(), std::move(built->version), std::move(built->note), earlier_.front().mark});
    return {};
  }

  Result<void> build_fact(db::EntityTables& tables, std::size_t fact) {
    const auto& spec = members_[fact + 1];
    const auto rows = tables.rows_of(fact, db_progress(progress_));
    if (!rows) return rows.error();
    if (progress_) progress_({.stage = "choosing what histories show"});
    const auto chosen = policy::choose_histories(*rows, classes_, spec->k);
    if (auto set = tables.choose(fact, chosen); !set) return set;
    classes_ = chosen.classes;
    Candidate made{spec, {}, "", earlier_[fact + 1].mark};
    auto unlinked = tables.unlinked(fact);
    if (!unlinked) return unlinked.error();
    if (unlinked->has_value()) {
      if (auto grown = grow_unlinked(**unlinked, made.version); !grown) return grown;
    }
    auto written =
        tables.write(fact, unlinked->has_value() ? &made.version : nullptr, db_progress(progress_));
    if (!written) return written.error();
    complete(made, unlinked->has_value(), chosen, std::move(*written));
    candidates_.push_back(std::move(made));
    return {};
  }

  // Each build begins anew: which rows are unlinked depends on all rows of a person.
  Result<void> grow_unlinked(db::TableReading& reading, PolicyVersion& version) {
    if (auto resumed = reading.resume(); !resumed) return resumed;
    const auto counts = reading.counts(db_progress(progress_));
    if (!counts) return counts.error();
    if (auto paused = reading.pause(); !paused) return paused;
    auto tree = policy::build_tree(*counts, reading.spec().k, reading.spec().growth);
    if (!tree) return tree.error();
    version.disclosure = policy::measure(*tree, *counts);
    version.lineage = policy::continued(nullptr, 0, *tree, *counts);
    version.tree = std::move(*tree);
    return {};
  }

  void complete(Candidate& made, bool has_tree, const policy::ChosenHistories& chosen,
                db::EntityTables::WrittenFact written) {
    PolicyVersion& version = made.version;
    version.policy = made.spec->name;
    version.spec_hash = made.spec->hash;
    version.built_at = built_at_;
    version.shape = std::move(written.published);
    version.copy = std::move(written.copy);
    auto& disclosure = version.disclosure;
    const std::size_t attributes = written.attributes.size();
    if (!has_tree) {  // one cohort that shows no quasi-identifier
      version.tree.k = made.spec->k;
      version.tree.attributes = written.attributes;
      version.tree.nodes = {
          policy::Node{.split = std::nullopt, .rows = written.rows.linked, .units = written.rows.persons}};
      disclosure.computable_by_attribute.assign(attributes, 0);
      disclosure.equal_by_attribute.assign(attributes, 0);
    }
    const std::set<std::uint32_t> classes(chosen.classes.begin(), chosen.classes.end());
    disclosure.rows = written.rows.rows;
    disclosure.units = chosen.rung.size();
    disclosure.cells = disclosure.rows * attributes;
    disclosure.disclosed_by_attribute = written.rows.disclosed_by_attribute;
    disclosure.disclosed = 0;
    for (const auto shown : disclosure.disclosed_by_attribute) disclosure.disclosed += shown;
    disclosure.cohorts += classes.size();
    made.note = describe(chosen, written);
  }

  static std::string describe(const policy::ChosenHistories& chosen,
                              const db::EntityTables::WrittenFact& written) {
    const db::LinkedRows& counted = written.rows;
    std::string note = fmt::format("{} of {} rows are linked to their person",
                                   percent_of(counted.linked, counted.rows), counted.rows);
    for (std::size_t a = 0; a < written.attributes.size(); ++a) {
      note += fmt::format("{} {} {}", a == 0 ? "; shown:" : ",", written.attributes[a].name,
                          percent_of(counted.disclosed_by_attribute[a], counted.rows));
    }
    if (counted.left_out > 0) note += fmt::format("; {} rows are left out", counted.left_out);
    const auto unlinked = std::ranges::count(chosen.rung, policy::kUnlinked);
    return note + fmt::format("; {} of {} persons have no linked row", unlinked, chosen.rung.size());
  }

  Result<void> recount(db::EntityTables& tables) {
    if (progress_) progress_({.stage = "counting who looks alike"});
    std::vector<policy::TableShape> copies;
    for (const auto& one : candidates_) copies.push_back(*one.version.copy);
    const auto smallest = tables.smallest_profile(copies);
    if (!smallest) return smallest.error();
    for (auto& one : candidates_) {
      auto& cohort = one.version.disclosure.smallest_cohort;
      cohort = cohort == 0 ? *smallest : std::min(cohort, *smallest);
    }
    return {};
  }

  const Config& config_;
  const Specs& members_;
  const BuildProgress& progress_;
  const std::string built_at_;
  std::vector<EarlierVersion> earlier_;
  std::vector<std::uint32_t> classes_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Specs built_with(const Specs& specs, const std::shared_ptr<const PolicySpec>& spec) {
  std::vector<const PolicySpec*> all;
  for (const auto& one : specs) all.push_back(one.get());
  const auto shared = [&](const PolicySpec* one) {
    return *std::ranges::find(specs, one, [](const auto& it) { return it.get(); });
  };
  for (const auto& group : policy::entity_groups(all)) {
    const auto is_it = [&](const PolicySpec* one) { return one->name == spec->name; };
    if (!is_it(group.persons) && std::ranges::none_of(group.facts, is_it)) continue;
    Specs members{shared(group.persons)};
    for (const auto* fact : group.facts) members.push_back(shared(fact));
    return members;
  }
  return {spec};
}

Result<std::vector<Candidate>> build_policy(const Config& config, const Specs& specs,
                                            const std::shared_ptr<const PolicySpec>& spec, Lineage lineage,
                                            const BuildProgress& progress) {
  const auto members = built_with(specs, spec);
  for (const auto& one : members) {
    if (auto alone = check_joins(config, specs, *one); !alone) return alone.error();
  }
  if (policy::key_of(*spec) == nullptr) return build_alone(config, spec, lineage, progress);
  return EntityBuild(config, members, progress).run(lineage);
}

}  // namespace pgveil::app
