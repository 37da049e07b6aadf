#pragma once
// Counts refused statements by reason. Reasons are a closed set, so memory is bounded and nothing of a
// client's text is kept. Thread-safe, without locks.
#include <array>
#include <atomic>
#include <cstdint>

#include "common/refusal.hpp"
#include "console/console.hpp"

namespace pgveil::app {

class RefusalCounts {
 public:
  // seconds: when the statement was refused, since 1970.
  void add(Reason reason, std::int64_t seconds);

  [[nodiscard]] std::uint64_t total(Reason reason) const {
    return counts_.at(static_cast<std::size_t>(reason)).total.load(std::memory_order_relaxed);
  }

  // The answer of SHOW REFUSALS: every reason in the order of Reason, including those that never occurred.
  [[nodiscard]] console::Table table() const;

 private:
  struct Count {
    std::atomic<std::uint64_t> total{0};
    std::atomic<std::int64_t> last_seconds{0};
  };
  std::array<Count, kReasonCount> counts_;
};

}  // namespace pgveil::app
