#include "cli/init_survey.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/progress_line.hpp"
#include "daemon/policies/table_survey.hpp"
#include "db/catalog/catalog_loader.hpp"
#include "db/catalog/surroundings_loader.hpp"
#include "draft/roles.hpp"

namespace pgveil::app {
namespace {

using Clock = std::chrono::steady_clock;

bool is_other_kind(const rewriter::Relation& relation) {
  return relation.kind == rewriter::RelationKind::view ||
         relation.kind == rewriter::RelationKind::materialized_view ||
         relation.kind == rewriter::RelationKind::foreign_table;
}

std::size_t count_others(const rewriter::Catalog& catalog) {
  return static_cast<std::size_t>(std::ranges::count_if(catalog.relations, [](const auto& entry) {
    return is_users_place(entry.second.schema) && is_other_kind(entry.second);
  }));
}

// Those that look like tables of persons come first.
std::vector<std::size_t> in_order(const draft::Database& database) {
  const auto roles = draft::roles_of(database);
  std::vector<std::size_t> order;
  for (const bool is_first : {true, false}) {
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const bool is_personal = roles[i].role == draft::Role::persons || roles[i].role == draft::Role::events;
      if (is_personal == is_first) order.push_back(i);
    }
  }
  return order;
}

// How many were left without a sample.
std::size_t add_samples(SurveyedTables& tables, db::TableSampler& sampler, std::chrono::milliseconds budget) {
  const auto deadline = Clock::now() + budget;
  ProgressLine line("init");
  std::size_t done = 0, unsampled = 0;
  for (const std::size_t i : in_order(tables.database)) {
    line.show("tables sampled", done++);
    if (tables.database.tables[i].obstacle != draft::Obstacle::none) continue;
    if (Clock::now() > deadline || !add_sample(tables, i, sampler)) ++unsampled;
  }
  return unsampled;
}

}  // namespace

Result<Survey> survey(const db::OwnerLogin& login, std::chrono::milliseconds budget) {
  const auto catalog = db::load_catalog(login.endpoint, login.database, {});
  if (!catalog) return catalog.error();
  const auto surroundings = db::load_surroundings(login.endpoint, login.database);
  if (!surroundings) return surroundings.error();
  const auto statistics = db::load_table_statistics(login.endpoint, login.database);
  if (!statistics) return statistics.error();
  auto sampler = db::TableSampler::open(login.endpoint, login.database);
  if (!sampler) return sampler.error();
  auto tables = survey_tables(*catalog, *surroundings, *statistics, Unreadable::is_obstacle);
  Survey out;
  out.unsampled = add_samples(tables, *sampler, budget);
  out.others = count_others(*catalog);
  out.database = std::move(tables.database);
  out.database.name = login.database;
  out.database.has_prefixes = login.encoding != "SQL_ASCII";
  return out;
}

}  // namespace pgveil::app
