#pragma once
// A password that a command prints, such as a token that expires after 15 minutes. It is kept, and fetched
// again before it expires and after the server has refused it. It is never logged.
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"

namespace pgveil {

// Thread-safe.
class PasswordCommand {
 public:
  using Clock = std::chrono::steady_clock;
  struct Settings {
    std::string key;                 // "backend.query_role.password_command", for messages
    std::vector<std::string> words;  // the program and its arguments; not empty
    std::chrono::milliseconds every{600'000};
    std::chrono::milliseconds timeout{10'000};
  };
  explicit PasswordCommand(Settings settings) : settings_(std::move(settings)) {}
  PasswordCommand(const PasswordCommand&) = delete;
  PasswordCommand& operator=(const PasswordCommand&) = delete;

  // The kept password if it is younger than `every`. Does not wait for a command that runs.
  [[nodiscard]] std::optional<std::string> kept() const;
  // The kept password, or a new one. May block for twice `timeout`. Callers at the same time share one run of
  // the command, and its failure. Errors: ErrorKind::server with the key and what the command did.
  [[nodiscard]] Result<std::string> get();
  // The server has refused this password: if it is the one that is kept, and not just fetched, get() fetches
  // another.
  void forget(const std::string& refused);

 private:
  const Settings settings_;
  std::mutex run_mutex_;      // held while the command runs
  mutable std::mutex mutex_;  // guards what follows
  std::optional<std::string> password_;
  Clock::time_point fetched_at_{};
  std::optional<Error> failure_;  // of the last run
  Clock::time_point failed_at_{};
};

}  // namespace pgveil
