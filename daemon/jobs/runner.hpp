#pragma once
// Jobs of the console: one at a time, on a thread of its own, so that no session waits for it. Thread-safe.
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/state/present.hpp"
#include "jobs/run/anonymize.hpp"

namespace pgveil::app {

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
  std::optional<double> best;               // score of the incumbent
  std::uint64_t rows = 0;                   // published
  std::string message;                      // what was published where, or why not; quotes no data
  std::optional<double> bound;              // that no score falls below
  double decided_share = 0;                 // of the transformations, as far as it was asked for
  std::optional<Error> failure;             // of a failed one
  std::shared_ptr<const JobReport> report;  // of one that is done
  std::string folder;                       // JobPlace's, which messages name and nobody needs to know
};

// How a job is run that is none of the configuration's files.
struct JobPlace {
  std::string folder;                                       // files only below it; empty: below export_dir
  std::uint64_t records_up_to = 0;                          // as in AnonymizeRequest
  std::function<void(const engine::Table&)> on_input = {};  // as in AnonymizeHooks, on the job's thread
};

class JobRunner {
 public:
  JobRunner() = default;
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;
  ~JobRunner();  // cancels what runs and waits for it

  // Returns at once. Errors: 55006: a job is running.
  [[nodiscard]] Result<void> start(std::shared_ptr<const Present> present, Job job, const std::string& role,
                                   JobPlace place = {});
  // Nothing is published, unless it was already. Errors: it is not running.
  [[nodiscard]] Result<void> cancel(const std::string& job);
  // In the order of their names.
  [[nodiscard]] std::vector<JobRun> runs() const;
  // The last run of this job; nullopt: it never ran.
  [[nodiscard]] std::optional<JobRun> run_of(const std::string& job) const;
  // As if it had never run. False: it is running.
  bool forget(const std::string& job);

 private:
  void work(const Config& config, const Present& present, const Job& job, const JobPlace& place);
  void note(const std::string& job, const engine::Progress& progress);
  void end(const std::string& job, const Result<JobReport>& made);

  mutable std::mutex mutex_;
  std::map<std::string, JobRun> runs_;
  std::string running_;                       // its name; empty: none
  std::shared_ptr<db::Interrupt> interrupt_;  // of the queries of the one that runs
  std::atomic<bool> is_cancelled_ = false;
  std::chrono::steady_clock::time_point asked_share_at_;  // on the job's thread
  std::thread thread_;
};

}  // namespace pgveil::app
