#pragma once
// Two background threads: one compares catalogs and stored versions with what is served and refreshes what
// changed; one runs the drift checks of policies and the builds that `rebuild_every` asks for. Errors are logged and tried again; nothing is opened by
// them.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "cli/world.hpp"

namespace pgveil::cli {

class Watch {
 public:
  // Starts both threads. world outlives the watch.
  explicit Watch(World& world);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  // Stops; waits for a query that is running.
  ~Watch();

 private:
  void watch_catalogs(const std::stop_token& stop);
  void check_drift(const std::stop_token& stop);
  // False: stopped.
  bool sleep_for(const std::stop_token& stop, std::int64_t ms);

  World& world_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread catalogs_;
  std::jthread drift_;
};

// One drift check of one policy, now: recounts, and by the policy's drift.action repairs or only says so.
// Does nothing for a closed policy. Errors: the table could not be counted.
[[nodiscard]] Result<void> check_drift_of(World& world, const policy::PolicySpec& spec);

}  // namespace pgveil::cli
