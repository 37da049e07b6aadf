#pragma once
// Traffic by database and for the whole process. Thread-safe. A database gets an entry when somebody first
// logs in to it, so there are at most as many entries as the configuration has databases.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/histogram.hpp"
#include "console/session_info.hpp"

namespace pgveil::net {

struct Counters {
  std::atomic<std::uint64_t> transactions{0}, queries{0}, assignments{0};
  std::atomic<std::uint64_t> received_bytes{0}, sent_bytes{0};
  std::atomic<std::uint64_t> transaction_us{0}, query_us{0}, wait_us{0};
};

class Statistics {
 public:
  // The reference is valid as long as this object.
  [[nodiscard]] Counters& of(const std::string& database);
  // Sorted by name.
  [[nodiscard]] std::vector<console::DatabaseTraffic> traffic() const;
  // Ends a period. Must be called every console::kTrafficPeriodSeconds.
  void end_period();

  Histogram query_time;                       // from a request to ReadyForQuery
  Histogram masked_time;                      // the same, of requests with a statement that read a mask
  std::atomic<std::uint64_t> slow_masked{0};  // those that took longer than slow_after
  std::chrono::microseconds slow_after{0};    // set before the first session
  Histogram wait_time;                        // for a backend connection, counted from the login
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> turned_away{0};
  std::atomic<std::uint64_t> put_out{0};  // before their login, for a newcomer

 private:
  struct Entry {
    Counters counters;
    console::Traffic at_period_end;
    console::Traffic period;
  };
  mutable std::mutex mutex_;  // guards the map and the periods
  std::map<std::string, std::unique_ptr<Entry>> by_database_;
};

}  // namespace pgveil::net
