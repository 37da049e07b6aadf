#pragma once
// Counts durations by upper bounds, for Prometheus. Thread-safe; adding takes no lock.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pgveil {

// In microseconds. A rewrite takes 10 to 300, a query from 100 to minutes.
inline constexpr std::array<std::int64_t, 16> kHistogramBounds{
    10,     25,     50,      100,     250,       500,       1'000,      2'500,
    10'000, 50'000, 100'000, 500'000, 1'000'000, 5'000'000, 30'000'000, 120'000'000};

class Histogram {
 public:
  void add(std::int64_t microseconds) {
    std::size_t bucket = 0;
    while (bucket < kHistogramBounds.size() && microseconds > kHistogramBounds[bucket]) ++bucket;
    counts_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(microseconds, std::memory_order_relaxed);
  }

  struct Snapshot {
    std::array<std::uint64_t, kHistogramBounds.size() + 1> counts{};  // the last: above all bounds
    std::int64_t sum_microseconds = 0;
  };
  [[nodiscard]] Snapshot snapshot() const {
    Snapshot out;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      out.counts[i] = counts_[i].load(std::memory_order_relaxed);
    out.sum_microseconds = sum_.load(std::memory_order_relaxed);
    return out;
  }

 private:
  std::array<std::atomic<std::uint64_t>, kHistogramBounds.size() + 1> counts_{};
  std::atomic<std::int64_t> sum_{0};
};

}  // namespace pgveil
