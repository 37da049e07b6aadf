#pragma once
// Sums up how long the passes of the rewriter took over all texts of this process. A PassClock is made for
// one text, on the thread that rewrites it, and adds its times to a PassTimes. PassTimes is thread-safe.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "rewriter/pipeline/pass.hpp"

namespace pgveil::app {

class PassTimes {
 public:
  void add(rewriter::Pass pass, std::chrono::nanoseconds took);
  [[nodiscard]] std::chrono::nanoseconds total(rewriter::Pass pass) const;

 private:
  std::array<std::atomic<std::uint64_t>, rewriter::kPasses.size()> nanoseconds_{};
};

class PassClock final : public rewriter::PassObserver {
 public:
  // The times must outlive the clock.
  explicit PassClock(PassTimes& times) : times_(times) {}
  void begins(rewriter::Pass pass) override;
  void ends() override;

 private:
  using Clock = std::chrono::steady_clock;
  void note_end_of_pass(Clock::time_point now);

  PassTimes& times_;
  std::optional<rewriter::Pass> pass_;
  Clock::time_point since_;
};

}  // namespace pgveil::app
