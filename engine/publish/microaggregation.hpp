#pragma once
// Microaggregation: at one transformation, classes show of some quasi-identifiers one value computed of their
// own raw values (class_aggregate.hpp) in place of the generalized one. All records of a class show the same,
// so a class stays one; two that come to look alike are one class then, which keeps what both keep
// (privacy/anonymity.hpp, "without suppression"). What is made is a table as it is to be published, whose
// classes are formed and tested anew by publish(). Pure.
#include <cstdint>
#include <span>
#include <vector>

#include "engine/check/prepared_table.hpp"
#include "engine/data/table.hpp"
#include "engine/privacy/anonymity.hpp"
#include "engine/publish/class_aggregate.hpp"

namespace pgveil::engine {

struct Microaggregation {
  // Quasi-identifiers as they are shown, `*` where they are suppressed; other columns as they were.
  Table table;
  std::uint64_t classes = 0;         // that are not suppressed, as they look
  std::uint64_t smallest_class = 0;  // of them; 0 when there are none
  std::uint64_t suppressed = 0;      // records
  // As Publication's; an aggregate stands for what its class has of the column (ShownAggregate::penalty).
  double certainty_penalty = 0;
  std::vector<double> certainty_penalties;  // of each quasi-identifier, as given to prepare()
  // Of each aggregated column, as given: ShownAggregate::error by record with a value; of a suppressed one 1.
  std::vector<double> errors;
};

// levels: of `prepared`, which was made of the table. REQUIRES: no subset; no δ-disclosure and no risk but
// the highest, which two classes may keep each and break together; aggregated columns are quasi-identifiers,
// each named once. Errors: those of level_columns and ClassAggregate::make; kind policy: the transformation
// is not anonymous.
[[nodiscard]] Result<Microaggregation> microaggregate(const Table& table, const PreparedTable& prepared,
                                                      std::span<const unsigned> levels,
                                                      const Anonymity& anonymity,
                                                      std::span<const MicroaggregatedColumn> aggregated);

}  // namespace pgveil::engine
