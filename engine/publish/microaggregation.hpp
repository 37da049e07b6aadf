#pragma once
// Microaggregation: at one transformation, some quasi-identifiers show in each class one value that is
// computed from the class's raw values (class_aggregate.hpp) in place of the generalized one. All records of
// a class show the same value, so a class stays one class. Two classes that come to look alike become one,
// which keeps what both keep (privacy/anonymity.hpp, "without suppression"). The result is a table to be
// published, whose classes publish() forms and tests anew. Pure.
#include <cstdint>
#include <span>
#include <vector>

#include "engine/check/prepared_table.hpp"
#include "engine/data/table.hpp"
#include "engine/privacy/anonymity.hpp"
#include "engine/publish/class_aggregate.hpp"

namespace pgveil::engine {

struct Microaggregation {
  // Quasi-identifiers as they are shown, `*` where they are suppressed; other columns unchanged.
  Table table;
  std::vector<std::size_t> suppressed_rows;  // of the table, ascending
  std::uint64_t classes = 0;                 // not suppressed; classes that look alike count once
  std::uint64_t smallest_class = 0;          // of these; 0 if there are none
  [[nodiscard]] std::uint64_t suppressed() const { return suppressed_rows.size(); }
  // As in Publication; an aggregate stands for what its class has of the column (ShownAggregate::penalty).
  double certainty_penalty = 0;
  std::vector<double> certainty_penalties;  // per quasi-identifier, in the order given to prepare()
  // Per aggregated column, in the given order: ShownAggregate::error per record with a value; 1 for a
  // suppressed one.
  std::vector<double> errors;
};

// levels: those of `prepared`, which was made from the table. REQUIRES: no subset; no δ-disclosure and no
// risk except the highest, because two classes may each keep these and break them together; aggregated
// columns are quasi-identifiers, each named once. Errors: those of level_columns and ClassAggregate::make;
// kind policy: the transformation is not anonymous.
[[nodiscard]] Result<Microaggregation> microaggregate(const Table& table, const PreparedTable& prepared,
                                                      std::span<const unsigned> levels,
                                                      const Anonymity& anonymity,
                                                      std::span<const MicroaggregatedColumn> aggregated);

}  // namespace pgveil::engine
