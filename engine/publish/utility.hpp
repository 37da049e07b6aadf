#pragma once
// What is left of the columns and of their dependence on one another, before and after, for people who have
// to work with the publication. It has counts and shares, but no value.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/data/table.hpp"
#include "engine/publish/prediction.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::engine {

struct ColumnShape {
  std::uint64_t records = 0;   // with a value
  std::uint64_t missing = 0;   // NULL, suppressed, or left out of the output
  std::uint64_t distinct = 0;  // values
  double entropy = 0;          // in bits per value
  double most_frequent = 0;    // share of the most frequent value
};

// How far the summary of a column of numbers or dates (column_summary.hpp) is from that of the input.
struct NumberUtility {
  // |after − before| ÷ the range of the input's values; 0 for a range of 0
  double mean_shift = 0, median_shift = 0;
  double deviation = 1;  // the standard deviation after ÷ that before; 1 if both are 0
  double range = 1;  // the range of the records that show something ÷ that of the input; 1 for a range of 0
};

struct ColumnUtility {
  std::string column;
  bool is_quasi_identifier = false;
  ColumnShape before, after;
  std::optional<NumberUtility> numbers = {};  // none: values are texts, or none is shown
};

// Cramér's V: how much one column tells about the other, from 0 (nothing) to 1 (everything). Computed over
// records that have both values. 0 if there is none, or if a column has only one value.
struct PairUtility {
  std::string first, second;
  double before = 0, after = 0;
};

struct Utility {
  std::vector<ColumnUtility> columns;
  std::vector<PairUtility> pairs;
  bool has_all_pairs = true;                  // false: only those of the first kMostPaired columns
  std::optional<Prediction> prediction = {};  // set by who measured one
};
inline constexpr std::size_t kMostPaired = 12;

// subset: which records of the table were to be published; empty: all. null_text: what stands for NULL in the
// table. REQUIRES: the publication was made from the table, or from one that shows the same records in
// another form; publication.source_rows are rows of the table.
[[nodiscard]] Utility measure_utility(const Table& table, std::span<const std::uint8_t> subset,
                                      const std::optional<std::string>& null_text,
                                      const Publication& publication);

}  // namespace pgveil::engine
