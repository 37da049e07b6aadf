#pragma once
// Applies a transformation: from a table to the table that is published. Classes are formed anew from the
// rows, by other code than the search's, and the models are tested again. A pure function; the same arguments
// give the same rows in the same order.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/check/checker.hpp"
#include "engine/check/prepared_table.hpp"
#include "engine/data/table.hpp"
#include "engine/publish/judged_rows.hpp"
#include "engine/publish/row_order.hpp"

namespace pgveil::engine {

// What becomes of suppressed records when the rows that show only `*` break a model: fewer than k, too few
// sensitive values … (privacy.md R10: in the output `*` is a class like any other).
enum class Outliers {
  drop,         // they are left out
  hide,         // they stay, but all their other columns are NULL too
  as_reference  // they stay as they are, as ARX does: that class breaks a model
};

struct PublicationOptions {
  std::vector<std::string> columns;  // what is written, in this order; all of the table, at least one
  Anonymity anonymity;
  Outliers outliers = Outliers::drop;
  std::optional<std::string> null_text;  // the value that stands for NULL in the table
  std::uint64_t seed = 0;
};

struct Publication {
  std::vector<PublishedColumn> columns;
  std::uint64_t rows = 0;
  std::uint64_t classes = 0;         // that are not suppressed
  std::uint64_t smallest_class = 0;  // of them; 0 when there are none
  std::uint64_t suppressed_rows = 0;
  std::uint64_t dropped_rows = 0;  // of the suppressed ones
  std::uint64_t hidden_rows = 0;   // of the suppressed ones
  // GCP: the mean over all cells of quasi-identifiers of (hierarchy rows the value stands for ÷ all rows; of
  // continuous ones the share of the range), where a single row is 0 and a suppressed cell is 1.
  double certainty_penalty = 0;
  std::vector<double> certainty_penalties;  // the same of each quasi-identifier, as given to prepare()
};

// levels: one for each quasi-identifier as given to prepare(). Errors, kind policy: more records are in
// classes below k than the limit lets be suppressed, or break another model. No row would be left. Kind
// configuration: what validate(Anonymity) refuses; a level that does not exist; a column the table has not.
[[nodiscard]] Result<Publication> publish(const Table& table, const PreparedTable& prepared,
                                          std::span<const unsigned> levels,
                                          const PublicationOptions& options);

}  // namespace pgveil::engine
