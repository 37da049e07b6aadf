#pragma once
// What is known of a database before somebody writes policies for it: the catalog, PostgreSQL's statistics
// and small samples. Values of a sample are looked at, and never shown.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/table.hpp"
#include "engine/risk/safe_harbor.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::draft {

// Stands for NULL in a sample. No text of PostgreSQL has a NUL byte.
inline const std::string kSampleNull{'\0'};

struct ColumnFacts {
  rewriter::Column column;
  bool is_unique = false;          // an index says that no two rows have the same value
  std::optional<double> distinct;  // distinct values in the whole table, estimated
  std::optional<double> width;     // mean bytes of a value
  // What at least half of the sample's values look like, among what identifies somebody (look_at_sample()).
  std::optional<engine::SafeHarborItem> looks_like = std::nullopt;
};

// A column of a foreign key.
struct Reference {
  std::size_t column = 0;  // position
  std::size_t table = 0;   // position in Database::tables
  bool is_whole = true;    // the foreign key has no other column
};

// Why no policy can be made for a table, and it can't be opened either.
enum class Obstacle { none, no_right, row_security, inheritance, unwritable_name };

struct TableFacts {
  std::string schema;
  std::string name;
  Obstacle obstacle = Obstacle::none;
  std::vector<ColumnFacts> columns;
  std::vector<std::size_t> primary_key;  // positions; empty: none
  std::vector<Reference> references;     // one for each column of each foreign key
  std::optional<double> rows;            // estimated
  std::optional<engine::Table> sample;   // columns in the same order
  bool is_sample_whole = false;          // it has every row of the table
};

struct Database {
  std::string name;
  bool has_prefixes = true;  // false: the encoding has no characters to take the first ones of
  std::vector<TableFacts> tables;
};

}  // namespace pgveil::draft
