#pragma once
// Decides what a check starts from, separately from the work. Pure: the same state and target give the same
// plan.
//
// States (KnownTables below): the TABLES, which generalize a row's codes, are either empty or set to the
// levels of the last check; the CLASSES of the last check are either absent or known; the HISTORY holds
// snapshots. Transitions:
//
//   from                                                       plan
//   classes known, target generalizes them                     roll_up
//   a snapshot that the target generalizes                     snapshot
//   none of these                                              rows: all distinct rows
//
// Among legal sources, the one with the fewest classes wins; ties are broken by the order of this table and
// of the history. Each transition transforms the columns whose level differs from that of the tables (all
// columns, if the tables are empty; this is the projection) and leaves the tables at the target. Without
// projection it transforms all columns; without roll-up or history the corresponding line is never used. In
// Kohlmayer et al. 2012 a projection may follow a roll-up only as long as every step is a roll-up, because
// they project a buffer of rows. Here the tables are projected, which serve every source, so no order of
// transitions is illegal.
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

enum class Switch { off, on };

struct Optimizations {
  Switch projection = Switch::on;
  Switch roll_up = Switch::on;
  Switch history = Switch::on;
};

// Existing classes: their transformation and their number.
struct Available {
  Transformation transformation;
  std::uint64_t classes = 0;
};

struct KnownTables {
  std::optional<Transformation> tables;
  std::optional<Available> last;
  std::span<const Available> snapshots;
};

enum class Source { rows, roll_up, snapshot };

struct Plan {
  Source source = Source::rows;
  std::size_t snapshot = 0;  // index into KnownTables::snapshots
  std::bitset<kMaxAttributes> to_transform;
};

[[nodiscard]] Plan make_plan(const Transformation& target, const KnownTables& known,
                             const Optimizations& optimizations, std::size_t attributes);

}  // namespace pgveil::engine
