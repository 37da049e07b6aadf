#pragma once
// The rows of a table at one transformation, class by class: which are kept and which are suppressed. The
// classes are formed anew from the rows, with code other than the search's, and the models are tested again.
// For publication.cpp and local_recoding.cpp.
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/check/prepared_table.hpp"
#include "engine/data/table.hpp"
#include "engine/privacy/class_test.hpp"
#include "engine/privacy/risk_test.hpp"

namespace pgveil::engine {

inline constexpr std::string_view kSuppressed = "*";

// One quasi-identifier at the level at which it is published.
struct LevelColumn {
  const Column* column = nullptr;
  const LevelTables* tables = nullptr;
  unsigned level = 0;

  [[nodiscard]] Code code(std::size_t row) const { return tables->code_at[level][column->codes.at(row)]; }
  [[nodiscard]] const std::string& value(std::size_t row) const { return tables->values[level][code(row)]; }
};

// The columns in the given order. What they point to must outlive them. Errors, kind configuration: the wrong
// number of levels, or levels that do not exist.
[[nodiscard]] Result<std::vector<LevelColumn>> level_columns(const Table& table,
                                                             const PreparedTable& prepared,
                                                             std::span<const unsigned> levels);

[[nodiscard]] bool is_everything_starred(std::span<const LevelColumn> columns, std::size_t row);

// A class counted row by row.
struct CountedClass {
  std::uint64_t records = 0, population = 0;
  std::vector<std::map<Code, std::uint64_t>> values;  // [sensitive column]
};

// What is referred to must outlive this object.
class RowCounter {
 public:
  RowCounter(const Table& table, const PreparedTable& prepared, const Anonymity& anonymity);

  [[nodiscard]] bool is_published(std::size_t row) const {
    return !prepared_.has_subset() || prepared_.subset[row] != 0;
  }
  void add(std::size_t row, CountedClass& to) const;
  [[nodiscard]] ClassVerdict verdict(const CountedClass& counted);

 private:
  const PreparedTable& prepared_;
  ClassTest test_;
  std::vector<const Column*> columns_;
};

// A class and what happens to it.
struct JudgedClass {
  std::uint64_t records = 0;
  bool is_kept = true, is_hopeless = false;
  std::size_t row = 0;  // one of its rows
};

struct JudgedRows {
  std::vector<std::uint32_t> class_of;  // [row]
  std::vector<JudgedClass> classes;

  [[nodiscard]] bool is_kept(std::size_t row) const { return classes[class_of[row]].is_kept; }
};

// Of the classes that are kept by themselves, the smallest are suppressed until the others keep the models of
// the whole table. Ties are broken by their texts, in the order of attribute names, as in the search.
[[nodiscard]] JudgedRows judge_rows(std::span<const LevelColumn> columns, const PreparedTable& prepared,
                                    std::size_t rows, RowCounter& counter, const RiskTest& risks);

}  // namespace pgveil::engine
