#include "policy/spec/constraint.hpp"

#include <fmt/format.h>

#include <cmath>

#include "common/assert.hpp"
#include "common/frequencies.hpp"

namespace pgveil::policy {

namespace {

// e^H: the number of equally frequent values with this entropy. REQUIRES: there is some value.
double effective_values(Frequencies frequencies) {
  return std::exp(entropy_of(frequencies));
}

// The units with the most frequent value, per unit with a value from the l-th most frequent one on; infinite
// if there are none of the latter.
double dominance(Frequencies frequencies, std::uint64_t l) {
  const Skew skew = skew_of(frequencies, l);
  return skew.tail == 0 ? HUGE_VAL : static_cast<double>(skew.most_frequent) / static_cast<double>(skew.tail);
}

double distance_between(Frequencies in_cohort, Frequencies in_table, Distance distance) {
  switch (distance) {
    case Distance::equal: return equal_distance(in_cohort, in_table, sum_of(in_table));
    case Distance::ordered: return ordered_distance(in_cohort, in_table);
  }
  PGVEIL_ASSERT(false);
  return 0;
}

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

std::string_view name_of(Distance distance) {
  switch (distance) {
    case Distance::equal: return "equal";
    case Distance::ordered: return "ordered";
  }
  PGVEIL_ASSERT(false);
  return {};
}

}  // namespace

bool holds(const ConstraintModel& model, Frequencies in_cohort, Frequencies in_table) {
  if (sum_of(in_cohort) == 0) return false;
  return std::visit(
      Overloaded{[&](const DistinctL& distinct) { return distinct_in(in_cohort) >= distinct.l; },
                 [&](const EntropyL& entropy) {
                   return effective_values(in_cohort) >= entropy.l * (1 - kFrequencyTolerance);
                 },
                 [&](const RecursiveL& recursive) {
                   return dominance(in_cohort, recursive.l) < recursive.c * (1 - kFrequencyTolerance);
                 },
                 [&](const TCloseness& closeness) {
                   return distance_between(in_cohort, in_table, closeness.distance) <=
                          closeness.t + kFrequencyTolerance;
                 }},
      model);
}

std::string requirement(const ConstraintModel& model) {
  return std::visit(
      Overloaded{
          [](const DistinctL& distinct) { return fmt::format("at least {} distinct values", distinct.l); },
          [](const EntropyL& entropy) { return fmt::format("an entropy of at least log {}", entropy.l); },
          [](const RecursiveL& recursive) {
            return fmt::format("the most frequent value below {} times those from the {}. on", recursive.c,
                               recursive.l);
          },
          [](const TCloseness& closeness) {
            return fmt::format("a distribution within {} of the table's ({} distance)", closeness.t,
                               name_of(closeness.distance));
          }},
      model);
}

std::string measured(const ConstraintModel& model, Frequencies in_cohort, Frequencies in_table) {
  if (sum_of(in_cohort) == 0) return "no value";
  return std::visit(
      Overloaded{[&](const DistinctL&) { return fmt::format("{}", distinct_in(in_cohort)); },
                 [&](const EntropyL&) { return fmt::format("log {:.3f}", effective_values(in_cohort)); },
                 [&](const RecursiveL& recursive) {
                   const double found = dominance(in_cohort, recursive.l);
                   return std::isinf(found) ? fmt::format("fewer than {} values", recursive.l)
                                            : fmt::format("{:.3f} times", found);
                 },
                 [&](const TCloseness& closeness) {
                   return fmt::format("{:.3f}", distance_between(in_cohort, in_table, closeness.distance));
                 }},
      model);
}

std::string canonical_text(const Constraint& constraint) {
  std::string text = std::visit(
      Overloaded{[](const DistinctL& distinct) { return fmt::format("distinct {}", distinct.l); },
                 [](const EntropyL& entropy) { return fmt::format("entropy {}", entropy.l); },
                 [](const RecursiveL& recursive) {
                   return fmt::format("recursive {} {}", recursive.c, recursive.l);
                 },
                 [](const TCloseness& closeness) {
                   return fmt::format("t_closeness {} {}", closeness.t, name_of(closeness.distance));
                 }},
      constraint.model);
  switch (constraint.mode) {
    case ConstraintMode::verify: break;
    case ConstraintMode::refine: text += " refine"; break;
    case ConstraintMode::hide: text += " hide"; break;
  }
  return text;
}

bool stays_broken(const ConstraintModel& model) {
  return std::holds_alternative<DistinctL>(model);
}

}  // namespace pgveil::policy
