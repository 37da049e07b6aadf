#pragma once
// Which database servers did not answer lately, so that sessions try the others first. Thread-safe.
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace pgveil::net {

class LostServers {
 public:
  void note(std::size_t server);
  // The numbers below `count` in ascending order, with those that were noted in the last seconds at the end.
  [[nodiscard]] std::vector<std::size_t> order(std::size_t count) const;

 private:
  using Clock = std::chrono::steady_clock;
  mutable std::mutex mutex_;
  std::map<std::size_t, Clock::time_point> noted_;
};

}  // namespace pgveil::net
