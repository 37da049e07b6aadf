#pragma once
// Arithmetic on how often the values of one column occur in a group of records, as l-diversity and
// t-closeness need it. Policies apply it to cohorts, the engine to classes.
#include <cmath>
#include <cstdint>
#include <span>

namespace pgveil {

// One number per value; 0: the group does not have the value.
using Frequencies = std::span<const std::uint64_t>;

// Sums of logarithms and of quotients deviate a little from the exact value. Differences up to this count as
// none.
inline constexpr double kFrequencyTolerance = 1e-9;

[[nodiscard]] std::uint64_t sum_of(Frequencies frequencies);
[[nodiscard]] std::uint64_t distinct_in(Frequencies frequencies);

// H = −Σ p·ln p (Machanavajjhala et al., l-Diversity, TKDD 2007, definition 4.1), computed as ln n − Σ f·ln f
// ÷ n, so that equal frequencies have no rounding error. REQUIRES: there is some value.
[[nodiscard]] double entropy_of(Frequencies frequencies);

// The same for frequencies that come one by one. REQUIRES: some value was added.
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

// Entropy l-diversity: at least ⌈l⌉ values, and H ≥ ln l. REQUIRES: l ≥ 1.
[[nodiscard]] bool has_entropy(const EntropySum& sum, double l);

// The frequency of the most frequent value, and the sum of all from the l-th most frequent value on (the same
// paper, definition 4.2). REQUIRES: l ≥ 1.
struct Skew {
  std::uint64_t most_frequent = 0;
  std::uint64_t tail = 0;
};
[[nodiscard]] Skew skew_of(Frequencies frequencies, std::uint64_t l);

// Earth mover's distances between the distributions of group and table (Li et al., t-Closeness, ICDE 2007,
// section 4), in [0, 1]. REQUIRES: both have the same values in the same order, and some value. For
// equal_distance, values that the group does not have may be left out of both; then `in_table` sums to less
// than the table's total.

// equal_distance: any two values are equally far apart. Σ max(0, q − p).
[[nodiscard]] double equal_distance(Frequencies in_group, Frequencies in_table, std::uint64_t table_total);
// ordered_distance: the distance is the number of values in between. Σ_i |Σ_{j≤i} (q_j − p_j)| ÷ (m − 1),
// where m is the number of values that the table has.
[[nodiscard]] double ordered_distance(Frequencies in_group, Frequencies in_table);

}  // namespace pgveil
