#pragma once
// How many texts were refused, by reason: a closed set, so it is bounded and quotes nothing of a client. Thread-safe and
// without locks.
#include <array>
#include <atomic>
#include <cstdint>

#include "common/refusal.hpp"
#include "proxy/admin/console.hpp"

namespace pgveil::cli {

class RefusalCounts {
 public:
  // seconds: of the refusal, since 1970.
  void add(Reason reason, std::int64_t seconds);

  [[nodiscard]] std::uint64_t total(Reason reason) const {
    return counts_.at(static_cast<std::size_t>(reason)).total.load(std::memory_order_relaxed);
  }

  // SHOW REFUSALS' answer: every reason in the order of Reason, those that never were included.
  [[nodiscard]] admin::Table table() const;

 private:
  struct Count {
    std::atomic<std::uint64_t> total{0};
    std::atomic<std::int64_t> last_seconds{0};
  };
  std::array<Count, kReasonCount> counts_;
};

}  // namespace pgveil::cli
