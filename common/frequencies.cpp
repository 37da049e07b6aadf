#include "common/frequencies.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "common/assert.hpp"

namespace pgveil {

std::uint64_t sum_of(Frequencies frequencies) {
  return std::accumulate(frequencies.begin(), frequencies.end(), std::uint64_t{0});
}

std::uint64_t distinct_in(Frequencies frequencies) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(frequencies, [](std::uint64_t frequency) { return frequency > 0; }));
}

double entropy_of(Frequencies frequencies) {
  EntropySum sum;
  for (const std::uint64_t frequency : frequencies) sum.add(frequency);
  return sum.entropy();
}

bool has_entropy(const EntropySum& sum, double l) {
  return static_cast<double>(sum.distinct()) >= std::ceil(l) &&
         sum.entropy() >= std::log(l) + std::log1p(-kFrequencyTolerance);
}

Skew skew_of(Frequencies frequencies, std::uint64_t l) {
  std::vector<std::uint64_t> descending(frequencies.begin(), frequencies.end());
  std::ranges::sort(descending, std::greater());
  Skew skew;
  if (descending.empty()) return skew;
  skew.most_frequent = descending.front();
  if (descending.size() >= l) skew.tail = sum_of(Frequencies(descending).subspan(l - 1));
  return skew;
}

double equal_distance(Frequencies in_group, Frequencies in_table, std::uint64_t table_total) {
  PGVEIL_ASSERT(in_group.size() == in_table.size());
  const auto group = static_cast<double>(sum_of(in_group));
  const auto table = static_cast<double>(table_total);
  double moved = 0;
  for (std::size_t i = 0; i < in_group.size(); ++i) {
    const double surplus =
        static_cast<double>(in_group[i]) / group - static_cast<double>(in_table[i]) / table;
    moved += std::max(surplus, 0.0);
  }
  return moved;
}

double ordered_distance(Frequencies in_group, Frequencies in_table) {
  PGVEIL_ASSERT(in_group.size() == in_table.size());
  const auto group = static_cast<double>(sum_of(in_group));
  const auto table = static_cast<double>(sum_of(in_table));
  double surplus = 0, carried = 0;
  std::uint64_t values = 0;
  for (std::size_t i = 0; i < in_table.size(); ++i) {
    if (in_table[i] == 0) continue;
    surplus += static_cast<double>(in_group[i]) / group - static_cast<double>(in_table[i]) / table;
    carried += std::fabs(surplus);
    ++values;
  }
  return values < 2 ? 0 : carried / static_cast<double>(values - 1);
}

}  // namespace pgveil
