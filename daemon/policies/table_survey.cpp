#include "daemon/policies/table_survey.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "draft/column_sense.hpp"
#include "rewriter/catalog/own_schema.hpp"

namespace pgveil::app {
namespace {

bool is_surveyed(const rewriter::Relation& relation) {
  const bool is_table = relation.kind == rewriter::RelationKind::table ||
                        relation.kind == rewriter::RelationKind::partitioned_table;
  return is_table && !relation.is_partition && is_users_place(relation.schema);
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

draft::Obstacle obstacle_of(const rewriter::Relation& relation, const db::TableStatistics& statistics,
                            Unreadable unreadable) {
  if (relation.has_children && relation.kind == rewriter::RelationKind::table)
    return draft::Obstacle::inheritance;
  if (relation.has_row_security) return draft::Obstacle::row_security;
  if (!statistics.is_readable && unreadable == Unreadable::is_obstacle) return draft::Obstacle::no_right;
  return is_writable_name(relation) ? draft::Obstacle::none : draft::Obstacle::unwritable_name;
}

class Surveyor {
 public:
  Surveyor(const rewriter::Catalog& catalog, const db::StatisticsOfTables& statistics,
           Unreadable unreadable) {
    out_.database.name = catalog.database;
    for (const auto& [name, relation] : catalog.relations) {
      const auto found = statistics.find(relation.oid);
      if (!is_surveyed(relation) || found == statistics.end() || found->second.is_of_extension) continue;
      add_table(relation, found->second, unreadable);
    }
    for (std::size_t i = 0; i < out_.relations.size(); ++i) add_primary_key(i);
  }

  void add_references(const rewriter::Surroundings& surroundings) {
    for (const auto& key : surroundings.foreign_keys) {
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

  void add_unique_columns(const rewriter::Surroundings& surroundings) {
    for (const auto& index : surroundings.indexes) {
      const auto found = positions_.find(index.table);
      if (!index.is_unique || index.columns.size() != 1 || found == positions_.end()) continue;
      const std::size_t column = position_of(found->second, index.columns.front());
      auto& table = out_.database.tables[found->second];
      if (column < table.columns.size()) table.columns[column].is_unique = true;
    }
  }

  [[nodiscard]] SurveyedTables finish() && { return std::move(out_); }

 private:
  void add_table(const rewriter::Relation& relation, const db::TableStatistics& statistics,
                 Unreadable unreadable) {
    draft::TableFacts table;
    table.schema = relation.schema;
    table.name = relation.name;
    table.obstacle = obstacle_of(relation, statistics, unreadable);
    table.rows = statistics.rows;
    table.columns = column_facts(relation, statistics);
    positions_.emplace(relation.oid, out_.relations.size());
    out_.relations.push_back(&relation);
    out_.bytes.push_back(statistics.bytes);
    out_.database.tables.push_back(std::move(table));
  }

  [[nodiscard]] std::size_t position_of(std::size_t table, int number) const {
    const auto& columns = out_.relations[table]->columns;
    const auto found = std::ranges::find(columns, number, &rewriter::Column::number);
    return static_cast<std::size_t>(found - columns.begin());
  }

  void add_primary_key(std::size_t i) {
    auto& table = out_.database.tables[i];
    for (const int number : out_.relations[i]->primary_key)
      table.primary_key.push_back(position_of(i, number));
    if (table.primary_key.size() == 1) table.columns[table.primary_key.front()].is_unique = true;
  }

  std::map<std::uint32_t, std::size_t> positions_;
  SurveyedTables out_;
};

}  // namespace

bool is_users_place(std::string_view schema) {
  return !schema.starts_with("pg_") && schema != "information_schema" && schema != rewriter::kOwnSchema;
}

SurveyedTables survey_tables(const rewriter::Catalog& catalog, const rewriter::Surroundings& surroundings,
                             const db::StatisticsOfTables& statistics, Unreadable unreadable) {
  Surveyor survey(catalog, statistics, unreadable);
  survey.add_references(surroundings);
  survey.add_unique_columns(surroundings);
  return std::move(survey).finish();
}

std::vector<draft::ColumnFacts> column_facts(const rewriter::Relation& relation,
                                             const db::TableStatistics& statistics) {
  std::vector<draft::ColumnFacts> columns;
  for (const auto& column : relation.columns) {
    draft::ColumnFacts facts;
    facts.column = column;
    if (const auto known = statistics.columns.find(column.name); known != statistics.columns.end()) {
      const double distinct = known->second.distinct;
      if (distinct >= 0) facts.distinct = distinct;
      if (distinct < 0 && statistics.rows) facts.distinct = -distinct * *statistics.rows;
      facts.width = known->second.width;
    }
    columns.push_back(std::move(facts));
  }
  return columns;
}

bool add_sample(SurveyedTables& tables, std::size_t table_number, db::TableSampler& sampler) {
  auto& table = tables.database.tables[table_number];
  const auto bytes = static_cast<double>(tables.bytes[table_number]);
  // A table that was never counted is taken for large when its file is.
  constexpr double kUsualRowBytes = 100;
  db::SampleWish wish{.table = tables.relations[table_number],
                      .rows = table.rows.value_or(bytes / kUsualRowBytes),
                      .null_text = draft::kSampleNull};
  auto sample = sampler.sample(wish);
  if (!sample) return false;
  const auto sampled = static_cast<double>(sample->table.rows());
  if (sample->is_whole) {
    table.rows = sampled;
  } else if (!table.rows || *table.rows < sampled) {
    table.rows = std::max(sampled, bytes / std::max(1.0, sample->row_bytes));
  }
  table.is_sample_whole = sample->is_whole;
  table.sample = std::move(sample->table);
  draft::look_at_sample(table);
  return true;
}

}  // namespace pgveil::app
