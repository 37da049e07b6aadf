#pragma once
// Summary statistics of the columns of a table, before and after. They have values, so they are for the owner
// of the data. utility.hpp compares them without values.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/data/measured_values.hpp"
#include "engine/data/table.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::engine {

// Of numbers, or of dates as days (calendar.hpp). The median is the middle value, or the mean of the two
// middle ones. The variance is the mean square of the distance to the mean.
struct NumberSummary {
  double least = 0, median = 0, greatest = 0, mean = 0, variance = 0;
};

struct ValuesSummary {
  std::optional<std::string>
      mode;  // the most frequent value; of several, the first by its text; none: no value
  std::uint64_t mode_records = 0;
  std::optional<NumberSummary> numbers;  // none: values are texts, or there is none
};

// after: of the records that show something. A cell that is no number or date itself (an interval, a set, a
// node of a hierarchy) counts as the middle of what the records with this cell have; least and greatest are
// those of the records.
struct ColumnSummary {
  std::string column;
  std::optional<MeasuredAs> measured_as;  // of all values of the input; none: texts
  ValuesSummary before, after;
};

// One for each column of the publication. subset, null_text: as for measure_utility. REQUIRES:
// publication.source_rows are rows of the table.
[[nodiscard]] std::vector<ColumnSummary> summarize_columns(const Table& table,
                                                           std::span<const std::uint8_t> subset,
                                                           const std::optional<std::string>& null_text,
                                                           const Publication& publication);

}  // namespace pgveil::engine
