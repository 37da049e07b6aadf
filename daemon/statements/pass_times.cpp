#include "daemon/statements/pass_times.hpp"

namespace pgveil::app {

void PassTimes::add(rewriter::Pass pass, std::chrono::nanoseconds took) {
  nanoseconds_.at(static_cast<std::size_t>(pass))
      .fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
}

std::chrono::nanoseconds PassTimes::total(rewriter::Pass pass) const {
  return std::chrono::nanoseconds(
      nanoseconds_.at(static_cast<std::size_t>(pass)).load(std::memory_order_relaxed));
}

void PassClock::begins(rewriter::Pass pass) {
  const auto now = Clock::now();
  note_end_of_pass(now);
  pass_ = pass;
  since_ = now;
}

void PassClock::ends() {
  note_end_of_pass(Clock::now());
  pass_.reset();
}

void PassClock::note_end_of_pass(Clock::time_point now) {
  if (pass_) times_.add(*pass_, now - since_);
}

}  // namespace pgveil::app
