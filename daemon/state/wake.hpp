#pragma once
// Lets one thread sleep until a time has passed or another thread wakes it. Thread-safe.
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace pgveil::app {

class Wake {
 public:
  void wake();
  // Returns when `ms` milliseconds have passed, when wake() is called, or at once if wake() was called since
  // the last sleep. False: stopped.
  bool sleep_for(const std::stop_token& stop, std::int64_t ms);

 private:
  std::mutex mutex_;
  std::condition_variable_any condition_;
  bool is_woken_ = false;
};

}  // namespace pgveil::app
