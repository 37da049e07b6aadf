#pragma once
// What every cohort promises about the values of a sensitive column: l-diversity and t-closeness. This file
// is pure arithmetic on frequencies; constraint_check.hpp and side_counter.hpp count them.
#include <cstdint>
#include <span>
#include <string>
#include <variant>

namespace pgveil::policy {

struct DistinctL {
  std::uint64_t l = 2;  // ≥ 2
  bool operator==(const DistinctL&) const = default;
};
struct EntropyL {
  double l = 2;  // > 1
  bool operator==(const EntropyL&) const = default;
};
struct RecursiveL {
  double c = 1;         // > 0
  std::uint64_t l = 2;  // ≥ 2
  bool operator==(const RecursiveL&) const = default;
};
enum class Distance {
  equal,   // any two values are as far apart as any other two
  ordered  // the distance is the number of values from one to the other
};
struct TCloseness {
  double t = 0;  // in (0, 1)
  Distance distance = Distance::equal;
  bool operator==(const TCloseness&) const = default;
};
using ConstraintModel = std::variant<DistinctL, EntropyL, RecursiveL, TCloseness>;

enum class ConstraintMode {
  // the tree is built without looking at the column, and is not used where a cohort breaks the constraint
  verify,
  refine,  // the tree splits only where both sides keep it: its shape follows sensitive values
  hide     // the tree is built without looking, and cohorts that break it are joined with others afterwards
};

struct Constraint {
  ConstraintModel model;
  ConstraintMode mode = ConstraintMode::verify;
  bool operator==(const Constraint&) const = default;
};

// How many units have each value. Cohort and table use the same order of values: the type's order for
// Distance::ordered, any order otherwise. A value that no unit of the cohort has counts 0.
using Frequencies = std::span<const std::uint64_t>;

// Whether the cohort keeps the constraint.
//   distinct: there are at least l values.
//   entropy: e^H ≥ l, where H is the entropy of the values.
//   recursive: the most frequent value is less frequent than c times all values from the l-th most frequent
//     on.
//   t-closeness: the distance between the cohort's distribution and the table's is at most t.
// A cohort without any value keeps no constraint. REQUIRES: both spans have the same length.
[[nodiscard]] bool holds(const ConstraintModel& model, Frequencies in_cohort, Frequencies in_table);

// For administrators: what was required ("at least 3 distinct values") and what was found ("2").
[[nodiscard]] std::string requirement(const ConstraintModel& model);
[[nodiscard]] std::string measured(const ConstraintModel& model, Frequencies in_cohort, Frequencies in_table);

// The canonical form of a constraint in a policy: "distinct 3", "t_closeness 0.2 ordered", with " refine" at
// the end in that mode.
[[nodiscard]] std::string canonical_text(const Constraint& constraint);

// Whether a group that breaks the constraint has no part that keeps it.
[[nodiscard]] bool stays_broken(const ConstraintModel& model);

}  // namespace pgveil::policy
