#pragma once
// Local recoding: the records that one transformation suppresses get a second one of their own, which the
// same search finds among these records alone. The records that the second one suppresses get a third, and
// so on, as long as a transformation that shows some of them scores better than one that shows none. If each
// part has to show a least number of records, the search takes the best transformation among those that do.
//
// Everybody whose values the first transformation puts into a class is in that class or, if it was
// suppressed, in the rest. So somebody who looks for a person has to look in one of the parts only, and each
// part keeps the models by itself. Classes of two parts that look alike are one class, which keeps what both
// keep (privacy/anonymity.hpp, "without suppression"). In all parts, shares are compared with those of the
// whole table. Pure, like the search.
#include <cstdint>
#include <span>
#include <vector>

#include "engine/check/prepared_table.hpp"
#include "engine/data/table.hpp"
#include "engine/search/search.hpp"

namespace pgveil::engine {

struct RecodingLimits {
  std::size_t parts = 0;            // the largest number of additional transformations
  std::uint64_t least_records = 0;  // that each of them shows
};

struct RecodingStep {
  std::vector<unsigned> levels;  // as given
  std::uint64_t records = 0;     // shown at these levels
  std::uint64_t suppressed = 0;  // still suppressed after this step
  std::uint64_t classes = 0, smallest_class = 0;
  std::uint64_t checks = 0;  // 0: the levels were given
  bool is_proven = true;
};

struct Recoding {
  std::vector<RecodingStep> steps;  // the first is the transformation that was given
  // Whether it is proven that no further transformation pays off, or none was asked for. A search that is
  // stopped before it finds any, or a heuristic, proves nothing.
  bool is_end_proven = true;
  // The table to be published: quasi-identifiers as they are shown, `*` where they are suppressed; other
  // columns unchanged.
  Table table;
  std::vector<std::size_t> suppressed_rows;  // of the table, ascending
  // Of the table without them. Classes of two parts that look alike are one.
  std::uint64_t classes = 0, smallest_class = 0;
  double certainty_penalty = 0;  // as in Publication
  [[nodiscard]] std::uint64_t suppressed() const { return steps.back().suppressed; }
};

// levels: those of `prepared`, which was made from the table, the quasi-identifiers and the sensitive
// columns. options: for the searches, including limits on levels; their suppression limit is all of the rest
// but limits.least_records.
// No part is searched if the first transformation suppresses more than the limit of `options` and so is not
// anonymous. REQUIRES: no subset; no risk except
// the highest; no δ-disclosure. Errors: those of level_columns, prepare and search.
[[nodiscard]] Result<Recoding> recode_locally(const Table& table, const PreparedTable& prepared,
                                              std::span<const QuasiIdentifier> quasi_identifiers,
                                              const PrivacyColumns& privacy, std::span<const unsigned> levels,
                                              const SearchOptions& options, const RecodingLimits& limits);

}  // namespace pgveil::engine
