#pragma once
// One thread sleeps, any other may wake it. Thread-safe.
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace pgveil::cli {

class Wake {
 public:
  void wake();
  // Until `ms` have passed, somebody wakes us, or has since the last sleep. False: stopped.
  bool sleep_for(const std::stop_token& stop, std::int64_t ms);

 private:
  std::mutex mutex_;
  std::condition_variable_any condition_;
  bool is_woken_ = false;
};

}  // namespace pgveil::cli
