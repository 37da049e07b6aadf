#pragma once
// When each policy was last compared with its table in this process, and what was found, for SHOW POLICIES
// and the page. Filled by the drift checks of the watch and by CHECK POLICY. Thread-safe.
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace pgveil::app {

class LastChecks {
 public:
  struct Check {
    std::string at;       // UTC, "2026-01-31T12:00:00Z"
    std::string finding;  // "ok", or beginning with "ok:", or what is wrong: for admins, it may count units
    bool operator==(const Check&) const = default;
  };

  // number: of the version that was compared.
  void checked(const std::string& policy, std::uint64_t number, Check check);
  // nullopt: version `number` was not compared in this process.
  [[nodiscard]] std::optional<Check> of(const std::string& policy, std::uint64_t number) const;

 private:
  struct Known {
    std::uint64_t number;
    Check check;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Known> known_;  // by policy
};

}  // namespace pgveil::app
