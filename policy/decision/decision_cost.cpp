#include "policy/decision/decision_cost.hpp"

#include <algorithm>

namespace pgveil::policy {
namespace {

// From nine constants on PostgreSQL hashes the array. Below that it compares with half of them on average.
double cost_of_test(std::size_t values) {
  constexpr std::size_t kHashedFrom = 9;
  if (values == 1) return 1;
  return values < kHashedFrom ? 0.8 + 0.5 * static_cast<double>(values) : 3.75;
}

template <class AnyDecision>
double work(const AnyDecision& decision, double rows) {
  double out = 0;
  for (const auto& arm : decision.arms) {
    const double taken = std::min(rows, static_cast<double>(arm.rows));
    out += rows * cost_of_test(arm.values.size());
    if (!arm.then.empty()) out += work(arm.then.front(), taken);
    rows -= taken;
  }
  return out;
}

template <class AnyDecision>
double per_row(const AnyDecision& decision, std::uint64_t rows) {
  return rows == 0 ? 0 : work(decision, static_cast<double>(rows)) / static_cast<double>(rows);
}

}  // namespace

double expected_tests(const Decision& decision, std::uint64_t rows) {
  return per_row(decision, rows);
}

double expected_tests(const RowDecision& decision, std::uint64_t rows) {
  return per_row(decision, rows);
}

std::size_t written_tests(const Decision& decision) {
  std::size_t tests = decision.arms.size();
  for (const Arm& arm : decision.arms) {
    if (!arm.then.empty()) tests += written_tests(arm.then.front());
  }
  return tests;
}

}  // namespace pgveil::policy
