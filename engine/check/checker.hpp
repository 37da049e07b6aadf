#pragma once
// Checks a transformation: generalizes, groups into equivalence classes, tests the privacy models within the
// suppression limit, and sums up what the quality models need. plan.hpp decides how; this does it. One
// checker belongs to one search.
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "engine/check/history.hpp"
#include "engine/check/parallel.hpp"
#include "engine/check/plan.hpp"
#include "engine/check/prepared_table.hpp"
#include "engine/check/summary_value.hpp"
#include "engine/privacy/anonymity.hpp"

namespace pgveil::engine {

// The sums over the suppressed classes that a quality model reads.
enum class SuppressedSums { none, domain_rows, entropy, divergence, combinations };

// The entropy of suppressed values is added term by term to that of the kept ones, because the last digits of
// the sum depend on this order: from[attribute][level] − factor · s · log2(s ÷ ‖S‖) for each generalized
// value.
struct EntropyStart {
  std::vector<std::vector<double>> from;
  double factor = 1;
};

struct CheckCounts {
  std::uint64_t checks = 0;
  std::uint64_t roll_ups = 0;
  std::uint64_t snapshot_hits = 0;
  std::uint64_t snapshots_stored = 0;
  std::uint64_t rows_grouped = 0;       // Σ t_r of Kohlmayer et al. 2012, section VI-E
  std::uint64_t cells_transformed = 0;  // Σ t_c · t_r
  std::size_t bytes = 0;                // allocated by the checker, at its peak
};

struct CheckerOptions {
  Anonymity anonymity;
  SuppressedSums sums = SuppressedSums::none;
  EntropyStart entropy;  // for SuppressedSums::entropy
  Optimizations optimizations;
  HistoryLimits history;
  Parallel parallel = {};  // does not affect the result
};

class Checker {
 public:
  // `table` must outlive the checker.
  Checker(const PreparedTable& table, const CheckerOptions& options);
  ~Checker();
  Checker(Checker&&) noexcept;
  Checker& operator=(Checker&&) noexcept;

  // REQUIRES: each level at most the hierarchy's height, or `dropped`.
  [[nodiscard]] Summary check(const Transformation& transformation);

  // Keeps the classes of the last check as a snapshot if the limits allow it. is_useless: whether all direct
  // generalizations of a snapshot's transformation are settled.
  void keep_snapshot(const std::function<bool(const Transformation&)>& is_useless);

  // Frees the memory of all snapshots.
  void forget_snapshots();

  // A round of several checks, which run at the same time if there are threads. Each starts from a snapshot
  // made before the round, or from all rows. So summaries, counts and snapshots are the same for any number
  // of threads.
  void check_round(std::span<const Transformation> transformations);
  // The summary of the round's transformation with that index; valid until the next round.
  [[nodiscard]] const Summary& summary_of(std::size_t index) const;
  void keep_snapshot_of(std::size_t index, const std::function<bool(const Transformation&)>& is_useless);

  [[nodiscard]] CheckCounts counts() const;

 private:
  struct Checked;
  struct Lane;
  struct Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace pgveil::engine
