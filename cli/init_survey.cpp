#include "cli/init_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "common/progress_line.hpp"
#include "db/catalog/catalog_loader.hpp"
#include "db/catalog/surroundings_loader.hpp"
#include "db/catalog/table_sampler.hpp"
#include "db/catalog/table_statistics.hpp"
#include "draft/column_sense.hpp"
#include "draft/roles.hpp"
#include "rewriter/catalog/own_schema.hpp"

namespace pgveil::app {
namespace {

using Clock = std::chrono::steady_clock;

bool is_users_table(const rewriter::Relation& relation) {
  const bool is_table = relation.kind == rewriter::RelationKind::table ||
                        relation.kind == rewriter::RelationKind::partitioned_table;
  return is_table && !relation.is_partition;
}

bool is_users_place(std::string_view schema) {
  return !schema.starts_with("pg_") && schema != "information_schema" && schema != rewriter::kOwnSchema;
}

bool is_other_kind(const rewriter::Relation& relation) {
  return relation.kind == rewriter::RelationKind::view ||
         relation.kind == rewriter::RelationKind::materialized_view ||
         relation.kind == rewriter::RelationKind::foreign_table;
}

// In open_tables a colon ends a database's name, the first dot a schema's, and an asterisk stands for any
// name.
bool is_writable_name(const rewriter::Relation& relation) {
  const auto has = [](std::string_view name, std::string_view characters) {
    return std::ranges::any_of(name, [&](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
             characters.find(c) != std::string_view::npos;
    });
  };
  return !has(relation.schema, ".:*") && !has(relation.name, ":*");
}

draft::Obstacle obstacle_of(const rewriter::Relation& relation, const db::TableStatistics& statistics) {
  if (relation.has_children && relation.kind == rewriter::RelationKind::table)
    return draft::Obstacle::inheritance;
  if (relation.has_row_security) return draft::Obstacle::row_security;
  if (!statistics.is_readable) return draft::Obstacle::no_right;
  return is_writable_name(relation) ? draft::Obstacle::none : draft::Obstacle::unwritable_name;
}

class Surveyor {
 public:
  Surveyor(const rewriter::Catalog& catalog, const rewriter::Surroundings& surroundings,
           const db::StatisticsOfTables& statistics)
      : surroundings_(surroundings), statistics_(statistics) {
    for (const auto& [name, relation] : catalog.relations) {
      if (!is_users_place(relation.schema)) continue;
      const auto found = statistics.find(relation.oid);
      if (is_other_kind(relation)) ++out_.others;
      if (!is_users_table(relation) || found == statistics.end() || found->second.is_of_extension) continue;
      add_table(relation, found->second);
    }
    for (std::size_t i = 0; i < relations_.size(); ++i) add_primary_key(i);
    add_references();
    add_unique_columns();
  }

  // Those that look like tables of persons come first.
  void sample(db::TableSampler& sampler, std::chrono::milliseconds budget) {
    const auto deadline = Clock::now() + budget;
    ProgressLine line("init");
    std::size_t done = 0;
    for (const std::size_t i : in_order()) {
      line.show("tables sampled", done++);
      auto& table = out_.database.tables[i];
      if (table.obstacle != draft::Obstacle::none) continue;
      if (Clock::now() > deadline || !sample_table(sampler, i)) ++out_.unsampled;
    }
  }

  [[nodiscard]] Survey finish() && { return std::move(out_); }

 private:
  void add_table(const rewriter::Relation& relation, const db::TableStatistics& statistics) {
    draft::TableFacts table;
    table.schema = relation.schema;
    table.name = relation.name;
    table.obstacle = obstacle_of(relation, statistics);
    table.rows = statistics.rows;
    for (const auto& column : relation.columns) {
      draft::ColumnFacts facts;
      facts.column = column;
      if (const auto known = statistics.columns.find(column.name); known != statistics.columns.end()) {
        const double distinct = known->second.distinct;
        if (distinct >= 0) facts.distinct = distinct;
        if (distinct < 0 && statistics.rows) facts.distinct = -distinct * *statistics.rows;
        facts.width = known->second.width;
      }
      table.columns.push_back(std::move(facts));
    }
    positions_.emplace(relation.oid, relations_.size());
    relations_.push_back(&relation);
    out_.database.tables.push_back(std::move(table));
  }

  [[nodiscard]] std::size_t position_of(std::size_t table, int number) const {
    const auto& columns = relations_[table]->columns;
    const auto found = std::ranges::find(columns, number, &rewriter::Column::number);
    return static_cast<std::size_t>(found - columns.begin());
  }

  void add_primary_key(std::size_t i) {
    auto& table = out_.database.tables[i];
    for (const int number : relations_[i]->primary_key) table.primary_key.push_back(position_of(i, number));
    if (table.primary_key.size() == 1) table.columns[table.primary_key.front()].is_unique = true;
  }

  void add_references() {
    for (const auto& key : surroundings_.foreign_keys) {
      const auto from = positions_.find(key.table);
      const auto to = positions_.find(key.referenced);
      if (from == positions_.end() || to == positions_.end()) continue;
      for (const int number : key.columns) {
        const std::size_t column = position_of(from->second, number);
        auto& table = out_.database.tables[from->second];
        if (column < table.columns.size())
          table.references.push_back({column, to->second, key.columns.size() == 1});
      }
    }
  }

  void add_unique_columns() {
    for (const auto& index : surroundings_.indexes) {
      const auto found = positions_.find(index.table);
      if (!index.is_unique || index.columns.size() != 1 || found == positions_.end()) continue;
      const std::size_t column = position_of(found->second, index.columns.front());
      auto& table = out_.database.tables[found->second];
      if (column < table.columns.size()) table.columns[column].is_unique = true;
    }
  }

  [[nodiscard]] std::vector<std::size_t> in_order() const {
    const auto roles = draft::roles_of(out_.database);
    std::vector<std::size_t> order;
    for (const bool is_first : {true, false}) {
      for (std::size_t i = 0; i < roles.size(); ++i) {
        const bool is_personal =
            roles[i].role == draft::Role::persons || roles[i].role == draft::Role::events;
        if (is_personal == is_first) order.push_back(i);
      }
    }
    return order;
  }

  [[nodiscard]] bool sample_table(db::TableSampler& sampler, std::size_t i) {
    auto& table = out_.database.tables[i];
    const auto& statistics = statistics_.at(relations_[i]->oid);
    // A table that was never counted is taken for large when its file is.
    constexpr double kUsualRowBytes = 100;
    const double by_size = static_cast<double>(statistics.bytes) / kUsualRowBytes;
    db::SampleWish wish{
        .table = relations_[i], .rows = table.rows.value_or(by_size), .null_text = draft::kSampleNull};
    auto sample = sampler.sample(wish);
    if (!sample) return false;
    const auto sampled = static_cast<double>(sample->table.rows());
    if (sample->is_whole) {
      table.rows = sampled;
    } else if (!table.rows || *table.rows < sampled) {
      table.rows =
          std::max(sampled, static_cast<double>(statistics.bytes) / std::max(1.0, sample->row_bytes));
    }
    table.is_sample_whole = sample->is_whole;
    table.sample = std::move(sample->table);
    draft::look_at_sample(table);
    return true;
  }

  const rewriter::Surroundings& surroundings_;
  const db::StatisticsOfTables& statistics_;
  std::vector<const rewriter::Relation*> relations_;
  std::map<std::uint32_t, std::size_t> positions_;
  Survey out_;
};

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
  Surveyor surveyor(*catalog, *surroundings, *statistics);
  surveyor.sample(*sampler, budget);
  auto out = std::move(surveyor).finish();
  out.database.name = login.database;
  out.database.has_prefixes = login.encoding != "SQL_ASCII";
  return out;
}

}  // namespace pgveil::app
