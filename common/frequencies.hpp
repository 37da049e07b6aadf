#pragma once
// Arithmetic on how often the values of one column occur in a group of records: what l-diversity and
// t-closeness are made of. Policies test cohorts by it, the engine classes.
#include <cmath>
#include <cstdint>
#include <span>

namespace pgveil {

// One number for each value; 0: the group has it not.
using Frequencies = std::span<const std::uint64_t>;

// Sums of logarithms and of quotients end a little beside the exact value; so much is no difference.
inline constexpr double kFrequencyTolerance = 1e-9;

[[nodiscard]] std::uint64_t sum_of(Frequencies frequencies);
[[nodiscard]] std::uint64_t distinct_in(Frequencies frequencies);

// H = −Σ p·ln p (Machanavajjhala et al., l-Diversity, TKDD 2007, definition 4.1), taken as ln n − Σ f·ln f ÷
// n: then equal frequencies lose nothing by rounding. REQUIRES: some value.
[[nodiscard]] double entropy_of(Frequencies frequencies);

// The same of frequencies that come one by one. REQUIRES: some value was added.
class EntropySum {
 public:
  void add(std::uint64_t frequency) {
    all_ += frequency;
    if (frequency > 0) ++distinct_;
    if (frequency > 1) sum_ += static_cast<double>(frequency) * std::log(static_cast<double>(frequency));
  }
  [[nodiscard]] std::uint64_t distinct() const { return distinct_; }
  [[nodiscard]] double entropy() const {
    const auto all = static_cast<double>(all_);
    return std::log(all) - sum_ / all;
  }

 private:
  std::uint64_t all_ = 0, distinct_ = 0;
  double sum_ = 0;  // Σ f·ln f
};

// Entropy l-diversity: ⌈l⌉ values, and H ≥ ln l. l ≥ 1.
[[nodiscard]] bool has_entropy(const EntropySum& sum, double l);

// The most frequent value, and all from the l-th most frequent value on together (the same paper, definition
// 4.2). l ≥ 1.
struct Skew {
  std::uint64_t most_frequent = 0;
  std::uint64_t tail = 0;
};
[[nodiscard]] Skew skew_of(Frequencies frequencies, std::uint64_t l);

// Earth mover's distances between the distributions of group and table (Li et al., t-Closeness, ICDE 2007,
// section 4). In [0, 1]. REQUIRES: as many numbers in both, in one order; some value in both. For
// equal_distance values that the group has not may be left out of both; `in_table` is then less than the
// table has altogether.

// Any two values are as far apart as any other two: Σ max(0, q − p).
[[nodiscard]] double equal_distance(Frequencies in_group, Frequencies in_table, std::uint64_t table_total);
// As far apart as values lie between them: Σ_i |Σ_{j≤i} (q_j − p_j)| ÷ (m − 1), m the values that the table
// has.
[[nodiscard]] double ordered_distance(Frequencies in_group, Frequencies in_table);

}  // namespace pgveil
