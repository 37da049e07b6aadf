#pragma once
// Which databases pgveil can read now, for /readyz, SHOW DATABASES and the metrics. What is served does not
// depend on it: statements are still sent while only pgveil's own look at the catalog fails. Filled by the
// watch, which looks every backend.catalog_check_every. Thread-safe.
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace pgveil::app {

class DatabaseReach {
 public:
  using Clock = std::chrono::steady_clock;
  // A server that has taken a question and not answered it for this long is not reached.
  static constexpr std::chrono::seconds kPatience{15};

  void asked(const std::string& database, Clock::time_point at);
  // The outcome of the last question: empty if it was answered, otherwise why not, in one line.
  void answered(const std::string& database, std::string failure);
  // Why the database can't be read; nullopt: it can, or nobody has asked yet.
  [[nodiscard]] std::optional<std::string> failure_of(std::string_view database, Clock::time_point now) const;

 private:
  struct Known {
    std::optional<Clock::time_point> asked_at;  // of a question without an answer
    std::string failure;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Known, std::less<>> known_;
};

}  // namespace pgveil::app
