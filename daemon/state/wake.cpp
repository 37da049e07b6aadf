#include "daemon/state/wake.hpp"

#include <chrono>

namespace pgveil::app {

void Wake::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  condition_.notify_all();
}

bool Wake::sleep_for(const std::stop_token& stop, std::int64_t ms) {
  std::unique_lock lock(mutex_);
  condition_.wait_for(lock, stop, std::chrono::milliseconds(ms), [this] { return is_woken_; });
  is_woken_ = false;
  return !stop.stop_requested();
}

}  // namespace pgveil::app
