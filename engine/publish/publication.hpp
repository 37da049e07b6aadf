#pragma once
// Applies a transformation: turns a table into the table that is published. The classes are formed anew from
// the rows, with code other than the search's, and the models are tested again. A pure function: the same
// arguments give the same rows in the same order.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/check/checker.hpp"
#include "engine/check/prepared_table.hpp"
#include "engine/data/table.hpp"
#include "engine/publish/judged_rows.hpp"
#include "engine/publish/row_order.hpp"

namespace pgveil::engine {

// What happens to suppressed records. Records that are kept show `*` in all quasi-identifiers. The rows that
// show only `*` are a class like any other, which may break a model (fewer than k, too few sensitive values).
enum class SuppressedRecords : std::uint8_t {
  keep_or_drop,  // they are kept if that class keeps the models; otherwise they are left out
  keep_or_hide,  // they are kept; if that class breaks a model, all their other columns are NULL too
  keep,          // they are kept, like in ARX, even if that class breaks a model
  drop           // they are left out
};
inline constexpr std::size_t kSuppressedRecords = 4;

// The word of the job's language: "keep_or_drop".
[[nodiscard]] std::string_view name(SuppressedRecords suppressed_records);

struct PublicationOptions {
  std::vector<std::string> columns;  // what is written, in this order; at least one, all of the table
  Anonymity anonymity;
  SuppressedRecords suppressed_records = SuppressedRecords::keep_or_drop;
  std::optional<std::string> null_text;  // the value that stands for NULL in the table
  std::uint64_t seed = 0;
  bool wants_source_rows = false;
};

struct Publication {
  std::vector<PublishedColumn> columns;
  // If wanted: which row of the table each row shows. For what is counted before anything is written, and
  // never written itself.
  std::vector<std::uint32_t> source_rows;
  std::uint64_t rows = 0;
  std::uint64_t classes = 0;         // not suppressed
  std::uint64_t smallest_class = 0;  // of these; 0 if there are none
  std::uint64_t suppressed_rows = 0;
  std::uint64_t dropped_rows = 0;  // of the suppressed ones: left out
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

// For formats whose texts are UTF-8. Errors, kind configuration: the name or a text of a column is not.
[[nodiscard]] Result<void> check_utf8(const Publication& publication);

}  // namespace pgveil::engine
