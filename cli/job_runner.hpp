#pragma once
// Jobs of the console: one at a time, on a thread of its own, so that no session waits for it. Thread-safe.
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/anonymize.hpp"
#include "cli/present.hpp"

namespace pgveil::cli {

enum class JobState { running, done, cancelled, failed };
[[nodiscard]] std::string_view name(JobState state);

// The last run of a job.
struct JobRun {
  std::string job;
  JobState state = JobState::running;
  std::string started_by;
  std::string started_at;
  std::string ended_at;  // empty while it runs
  std::uint64_t checks = 0;
  std::optional<double> best;  // score of the incumbent
  std::uint64_t rows = 0;      // published
  std::string message;         // what was published where, or why not; quotes no data
};

class JobRunner {
 public:
  JobRunner() = default;
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;
  ~JobRunner();  // cancels what runs and waits for it

  // Returns at once. Errors: a job is running.
  [[nodiscard]] Result<void> start(std::shared_ptr<const Present> present, Job job, const std::string& role);
  // Nothing is published, unless it was already. Errors: it is not running.
  [[nodiscard]] Result<void> cancel(const std::string& job);
  // In the order of their names.
  [[nodiscard]] std::vector<JobRun> runs() const;

 private:
  void work(const Config& config, const Present& present, const Job& job);
  void end(const std::string& job, const Result<JobReport>& made);

  mutable std::mutex mutex_;
  std::map<std::string, JobRun> runs_;
  std::string running_;                       // its name; empty: none
  std::shared_ptr<db::Interrupt> interrupt_;  // of the queries of the one that runs
  std::atomic<bool> is_cancelled_ = false;
  std::thread thread_;
};

}  // namespace pgveil::cli
