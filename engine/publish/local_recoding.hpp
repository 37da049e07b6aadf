#pragma once
// Local recoding: the records that a transformation suppresses get a second one of their own, found by the
// same search among them alone; those that this one suppresses a third, as long as a transformation that
// shows some of them scores better than one that shows none.
//
// Everybody whose values the first transformation makes a class of is in that class or, if it was suppressed,
// in the rest, so who looks for somebody looks in one of the parts; and each part keeps the models by itself.
// Classes of two parts that look alike are one class, which keeps what both keep (privacy/anonymity.hpp,
// "without suppression"). Shares are compared with the whole table's in all parts. Pure, as the search is.
#include <cstdint>
#include <span>
#include <vector>

#include "engine/check/prepared_table.hpp"
#include "engine/data/table.hpp"
#include "engine/search/search.hpp"

namespace pgveil::engine {

struct RecodingStep {
  std::vector<unsigned> levels;  // as given
  std::uint64_t records = 0;     // that are shown at them
  std::uint64_t suppressed = 0;  // that are left
  std::uint64_t classes = 0, smallest_class = 0;
  std::uint64_t checks = 0;  // 0: the levels were given
  bool is_proven = true;
};

struct Recoding {
  std::vector<RecodingStep> steps;  // the first is the transformation that was given
  // As it is to be published: quasi-identifiers as they are shown, `*` where they are suppressed; other
  // columns as they were.
  Table table;
  double certainty_penalty = 0;  // as Publication's
  [[nodiscard]] std::uint64_t suppressed() const { return steps.back().suppressed; }
};

// levels: of `prepared`, which was made of the table, the quasi-identifiers and the sensitive columns.
// options: of the searches, limits on levels included; their suppression limit is all of the rest. rounds:
// further transformations at most; none are looked for where the first suppresses more than the limit of
// `options`, and is not anonymous. REQUIRES: no subset; no risk but the highest, no δ-disclosure. Errors:
// those of level_columns, prepare and search.
[[nodiscard]] Result<Recoding> recode_locally(const Table& table, const PreparedTable& prepared,
                                              std::span<const QuasiIdentifier> quasi_identifiers,
                                              const PrivacyColumns& privacy, std::span<const unsigned> levels,
                                              const SearchOptions& options, std::size_t rounds);

}  // namespace pgveil::engine
