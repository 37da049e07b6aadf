#pragma once
// What is known of the tables of a database before somebody writes policies for them (draft/facts.hpp), from
// the catalog and PostgreSQL's statistics. `pgveil init` and the page use this. No row is read here, except
// where somebody asks for a sample.
#include <cstdint>
#include <string_view>
#include <vector>

#include "db/catalog/table_sampler.hpp"
#include "db/catalog/table_statistics.hpp"
#include "draft/facts.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/surroundings.hpp"

namespace pgveil::app {

// Whether the tables of this schema are users' own: no schema of PostgreSQL's or of pgveil's.
[[nodiscard]] bool is_users_place(std::string_view schema);

enum class Unreadable {
  is_obstacle,  // no policy is drafted for a table that the role which asked may not read
  is_no_matter  // its right is somebody else's question
};

struct SurveyedTables {
  draft::Database database;                          // without samples
  std::vector<const rewriter::Relation*> relations;  // of the tables, in their order; owned by the catalog
  std::vector<std::uint64_t> bytes;                  // of the tables' files
};

// The plain and partitioned tables of users, without partitions and without those of extensions. The name of
// the database is the catalog's. The catalog must outlive the answer.
[[nodiscard]] SurveyedTables survey_tables(const rewriter::Catalog& catalog,
                                           const rewriter::Surroundings& surroundings,
                                           const db::StatisticsOfTables& statistics, Unreadable unreadable);

// The columns of any relation, with what the statistics know of them.
[[nodiscard]] std::vector<draft::ColumnFacts> column_facts(const rewriter::Relation& relation,
                                                           const db::TableStatistics& statistics);

// Reads a sample of one of the tables, and counts its rows anew with it. False: it could not be read.
[[nodiscard]] bool add_sample(SurveyedTables& tables, std::size_t table, db::TableSampler& sampler);

}  // namespace pgveil::app
