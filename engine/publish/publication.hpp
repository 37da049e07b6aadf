#pragma once
// Applies a transformation: turns a table into the table that is published. The classes are formed anew from
// the rows, with code other than the search's, and the models are tested again. A pure function: the same
// arguments give the same rows in the same order.
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

// What happens to suppressed records if the rows that show only `*` break a model (fewer than k, too few
// sensitive values …). In the output `*` is a class like any other.
enum class Outliers {
  drop,         // they are left out
  hide,         // they stay, but all their other columns are NULL too
  as_reference  // they stay as they are, like in ARX: that class breaks a model
};

struct PublicationOptions {
  std::vector<std::string> columns;  // what is written, in this order; at least one, all of the table
  Anonymity anonymity;
  Outliers outliers = Outliers::drop;
  std::optional<std::string> null_text;  // the value that stands for NULL in the table
  std::uint64_t seed = 0;
};

struct Publication {
  std::vector<PublishedColumn> columns;
  std::uint64_t rows = 0;
  std::uint64_t classes = 0;         // not suppressed
  std::uint64_t smallest_class = 0;  // of these; 0 if there are none
  std::uint64_t suppressed_rows = 0;
  std::uint64_t dropped_rows = 0;  // of the suppressed ones
  std::uint64_t hidden_rows = 0;   // of the suppressed ones
  // GCP: the mean over all cells of quasi-identifiers of (hierarchy rows that the value stands for ÷ all
  // rows; for continuous ones the share of the range). A single row counts 0 and a suppressed cell 1.
  double certainty_penalty = 0;
  std::vector<double> certainty_penalties;  // the same per quasi-identifier, in the order given to prepare()
};

// levels: one per quasi-identifier, in the order given to prepare(). Errors, kind policy: more records than
// the suppression limit allows are in classes below k or in classes that break another model; no row would be
// left. Kind configuration: what validate(Anonymity) refuses; a level that does not exist; a column that the
// table does not have.
[[nodiscard]] Result<Publication> publish(const Table& table, const PreparedTable& prepared,
                                          std::span<const unsigned> levels,
                                          const PublicationOptions& options);

}  // namespace pgveil::engine
