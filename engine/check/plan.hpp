#pragma once
// What a check starts from, decided apart from the work. Pure: the same state and target give the same plan.
//
// States (Desk below): the BUFFER is either empty or holds all rows, materialized at some levels; the CLASSES of the
// last check are either absent or known; the HISTORY holds snapshots. Transitions:
//
//   from                                           plan           columns to transform            afterwards
//   classes known, target generalizes them         roll_up        where target ≠ classes          buffer as before
//   a snapshot that the target generalizes         snapshot       where target ≠ snapshot         buffer as before
//   buffer materialized, none of these             rows           where target ≠ buffer           buffer at target
//   buffer empty, none of these                    rows           all                             buffer at target
//
// Among legal sources the one with the fewest classes wins; equal ones in the order of the table, and of the history.
// Without projection "all" stands in each line; without roll-up or history its line is never taken. The papers let a
// projection follow a roll-up only as long as every step is one, because their classes are references into the buffer.
// Here classes carry their own generalized rows, so nothing has to be re-materialized and no order of transitions is
// illegal.
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

// Classes that exist: of which transformation, and how many.
struct Available {
  Transformation transformation;
  std::uint64_t classes = 0;
};

struct Desk {
  std::optional<Transformation> buffer;
  std::optional<Available> last;
  std::span<const Available> snapshots;
};

enum class Source { rows, roll_up, snapshot };

struct Plan {
  Source source = Source::rows;
  std::size_t snapshot = 0;  // index into Desk::snapshots
  std::bitset<kMaxAttributes> to_transform;
};

[[nodiscard]] Plan make_plan(const Transformation& target, const Desk& desk,
                             const Optimizations& optimizations, std::size_t attributes);

}  // namespace pgveil::engine
