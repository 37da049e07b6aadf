#pragma once
// Runs the jobs of the console, one at a time, on a thread of their own, so that no session waits for one.
// Thread-safe.
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
  std::optional<double> best;               // score of the best solution so far
  std::uint64_t rows = 0;                   // published
  std::string message;                      // what was published where, or why nothing was; quotes no data
  std::optional<double> bound;              // lower bound of all scores
  double decided_share = 0;                 // of the transformations, when it was last asked for
  std::optional<Error> failure;             // set for a failed job
  std::shared_ptr<const JobReport> report;  // set for a job that is done
  std::string folder;                       // JobPlace::folder, which messages name and clients need not know
};

// How to run a job that does not come from the configuration's files.
struct JobPlace {
  std::string folder;                                       // all files are below it; empty: below export_dir
  std::uint64_t records_up_to = 0;                          // as in AnonymizeRequest
  std::function<void(const engine::Table&)> on_input = {};  // as in AnonymizeHooks, on the job's thread
};

class JobRunner {
 public:
  // present_now: what is in force when a job is about to publish.
  explicit JobRunner(std::function<std::shared_ptr<const Present>()> present_now)
      : present_now_(std::move(present_now)) {}
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;
  ~JobRunner();  // cancels the running job and waits for it

  // Returns at once. Errors: 55006 if a job is running; ErrorKind::limit if no thread can be started. Then
  // the last run of the job is still known.
  [[nodiscard]] Result<void> start(std::shared_ptr<const Present> present, Job job, const std::string& role,
                                   JobPlace place = {});
  // Cancels the job. Nothing is published, unless it already was. Errors: the job is not running.
  [[nodiscard]] Result<void> cancel(const std::string& job);
  // The last runs, ordered by job name.
  [[nodiscard]] std::vector<JobRun> runs() const;
  // The last run of this job; nullopt: it never ran.
  [[nodiscard]] std::optional<JobRun> run_of(const std::string& job) const;
  // Forgets the runs of the job. False: it is running.
  bool forget(const std::string& job);

 private:
  void work(const Config& config, const Job& job, const JobPlace& place);
  void note(const std::string& job, const engine::Progress& progress);
  void end(const std::string& job, const Result<JobReport>& made);

  const std::function<std::shared_ptr<const Present>()> present_now_;
  mutable std::mutex mutex_;
  std::map<std::string, JobRun> runs_;
  std::string running_;                       // name of the running job; empty: none
  std::shared_ptr<db::Interrupt> interrupt_;  // for the queries of the running job
  std::atomic<bool> is_cancelled_ = false;
  std::chrono::steady_clock::time_point asked_share_at_;  // on the job's thread
  std::thread thread_;
};

}  // namespace pgveil::app
