#pragma once
// Which policies' last build failed in this process, when and why, for SHOW POLICIES, the metrics and the
// page. A failed build changes nothing of what is served. Thread-safe.
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace pgveil::app {

class FailedBuilds {
 public:
  struct Failure {
    std::string at;   // UTC, "2026-01-31T12:00:00Z"
    std::string why;  // one line for admins: public, but it may count units
    bool operator==(const Failure&) const = default;
  };

  // number: of the version that was current when the build began; 0: none.
  void failed(const std::string& policy, std::uint64_t number, Failure failure);
  void succeeded(const std::string& policy);
  // A check of this process has stored version `after` in the place of `before`, without a build. So a
  // failure that is of `before` is of `after` as well.
  void repaired(const std::string& policy, std::uint64_t before, std::uint64_t after);
  // nullopt: the last build did not fail, or a version was published since that build began. number: of the
  // current version; 0: none.
  [[nodiscard]] std::optional<Failure> of(const std::string& policy, std::uint64_t number) const;

 private:
  struct Known {
    std::uint64_t number;
    Failure failure;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Known> known_;  // by policy
};

}  // namespace pgveil::app
