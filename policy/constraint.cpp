#include "policy/constraint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "common/assert.hpp"

namespace pgveil::policy {

namespace {

// Sums of logarithms and of quotients end a little beside the exact value; so much is no difference.
constexpr double kTolerance = 1e-9;

std::uint64_t sum_of(Frequencies frequencies) {
  return std::accumulate(frequencies.begin(), frequencies.end(), std::uint64_t{0});
}

std::uint64_t distinct_in(Frequencies frequencies) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(frequencies, [](std::uint64_t frequency) { return frequency > 0; }));
}

// e^H: so many values, were they all equally frequent. REQUIRES: some value.
double effective_values(Frequencies frequencies) {
  const auto all = static_cast<double>(sum_of(frequencies));
  double entropy = 0;
  for (const std::uint64_t frequency : frequencies) {
    if (frequency == 0) continue;
    const double share = static_cast<double>(frequency) / all;
    entropy -= share * std::log(share);
  }
  return std::exp(entropy);
}

// What the most frequent value has for each unit from the l-th most frequent value on; infinite when there are none.
double dominance(Frequencies frequencies, std::uint64_t l) {
  std::vector<std::uint64_t> descending(frequencies.begin(), frequencies.end());
  std::ranges::sort(descending, std::greater());
  if (descending.size() < l) return HUGE_VAL;
  const std::uint64_t tail = sum_of(Frequencies(descending).subspan(l - 1));
  if (tail == 0) return HUGE_VAL;
  return static_cast<double>(descending.front()) / static_cast<double>(tail);
}

double distance_between(Frequencies in_cohort, Frequencies in_table, Distance distance) {
  PGVEIL_ASSERT(in_cohort.size() == in_table.size());
  const auto cohort = static_cast<double>(sum_of(in_cohort));
  const auto table = static_cast<double>(sum_of(in_table));
  double moved = 0;          // equal: shares that are too large; ordered: what is carried from value to value
  double surplus = 0;        // of the values so far
  std::uint64_t values = 0;  // that the table has at all
  for (std::size_t i = 0; i < in_table.size(); ++i) {
    if (in_table[i] == 0) continue;
    const double difference =
        static_cast<double>(in_cohort[i]) / cohort - static_cast<double>(in_table[i]) / table;
    surplus += difference;
    moved += distance == Distance::equal ? std::max(difference, 0.0) : std::fabs(surplus);
    ++values;
  }
  if (distance == Distance::equal) return moved;
  return values < 2 ? 0 : moved / static_cast<double>(values - 1);
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
                   return effective_values(in_cohort) >= entropy.l * (1 - kTolerance);
                 },
                 [&](const RecursiveL& recursive) {
                   return dominance(in_cohort, recursive.l) < recursive.c * (1 - kTolerance);
                 },
                 [&](const TCloseness& closeness) {
                   return distance_between(in_cohort, in_table, closeness.distance) <=
                          closeness.t + kTolerance;
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
  }
  return text;
}

bool stays_broken(const ConstraintModel& model) {
  return std::holds_alternative<DistinctL>(model);
}

}  // namespace pgveil::policy
