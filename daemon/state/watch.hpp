#pragma once
// Two background threads. One compares the catalogs and the stored versions with what is served, and reads
// again what changed. The other runs the drift checks of policies and the builds that `rebuild_every` asks
// for, and reminds of certificates that end. An error is logged, and the work is tried again later; an error
// never opens anything.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "daemon/state/serving_state.hpp"

namespace pgveil::app {

class Watch {
 public:
  // Starts both threads. serving must outlive the watch.
  explicit Watch(ServingState& serving);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  // Stops both threads, and waits for a query that is running.
  ~Watch();

 private:
  void watch_catalogs(const std::stop_token& stop);
  void check_drift(const std::stop_token& stop);
  // False: stopped.
  bool sleep_for(const std::stop_token& stop, std::int64_t ms);

  ServingState& serving_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread catalogs_;
  std::jthread drift_;
};

}  // namespace pgveil::app
