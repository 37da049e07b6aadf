#pragma once
// What every cohort promises about the values of a sensitive column: l-diversity and t-closeness. Pure
// arithmetic on frequencies; who counts them is constraint_check.hpp and side_counter.hpp.
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
  ordered  // as far apart as values lie between them
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
  refine  // the tree splits only where both sides keep it: its shape follows sensitive values
};

struct Constraint {
  ConstraintModel model;
  ConstraintMode mode = ConstraintMode::verify;
  bool operator==(const Constraint&) const = default;
};

// How many units have each value, in one order of the values for cohort and table: the type's order for
// Distance::ordered, any other order for the rest. A value that no unit of the cohort has is 0.
using Frequencies = std::span<const std::uint64_t>;

// distinct: at least l values. entropy: e^H ≥ l, H the entropy of the values. recursive: the most frequent
// value is less frequent than c times all from the l-th most frequent on. t-closeness: the distance between
// the cohort's distribution and the table's is at most t. A cohort without any value keeps none of them.
// REQUIRES: as many numbers in both.
[[nodiscard]] bool holds(const ConstraintModel& model, Frequencies in_cohort, Frequencies in_table);

// For administrators: what was required, "at least 3 distinct values", and what was found, "2".
[[nodiscard]] std::string requirement(const ConstraintModel& model);
[[nodiscard]] std::string measured(const ConstraintModel& model, Frequencies in_cohort, Frequencies in_table);

// As in a policy, canonical: "distinct 3", "t_closeness 0.2 ordered"; " refine" after it.
[[nodiscard]] std::string canonical_text(const Constraint& constraint);

// No part of a group that breaks it keeps it.
[[nodiscard]] bool stays_broken(const ConstraintModel& model);

}  // namespace pgveil::policy
