#include "daemon/jobs/runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <utility>

#include "common/clock.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "daemon/policies/table_policies.hpp"

namespace pgveil::app {
namespace {

constexpr std::chrono::milliseconds kSharePeriod{250};

Result<JobReport> run(const AnonymizeRequest& request, const AnonymizeHooks& hooks) {
  try {
    return anonymize(request, hooks);
  } catch (const std::exception& failure) {  // a bug ends the job, not the daemon
    log::private_detail("job " + request.job.name, failure.what());
    return Error{ErrorKind::server, std::string(sqlstate::kInternalError), "internal error"};
  }
}

}  // namespace

std::string_view name(JobState state) {
  switch (state) {
    case JobState::running: return "running";
    case JobState::done: return "done";
    case JobState::cancelled: return "cancelled";
    case JobState::failed: return "failed";
  }
  return "";
}

JobRunner::~JobRunner() {
  {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    if (interrupt_) interrupt_->end_all();
  }
  if (thread_.joinable()) thread_.join();
}

Result<void> JobRunner::start(std::shared_ptr<const Present> present, Job job, const std::string& role,
                              JobPlace place) {
  const std::lock_guard lock(mutex_);
  if (!running_.empty())
    return Error{ErrorKind::usage, std::string(sqlstate::kObjectInUse),
                 fmt::format("job {} is running", running_),
                 "wait until it ends, or run CANCEL JOB. One job runs at a time"};
  if (thread_.joinable()) thread_.join();  // it has ended, because running_ is cleared last
  is_cancelled_ = false;
  interrupt_ = std::make_shared<db::Interrupt>();
  const std::string job_name = job.name;
  JobRun run;
  run.job = job_name;
  run.started_by = role;
  run.started_at = utc_now();
  run.folder = place.folder;
  Config config = present->config;
  config.interrupt = interrupt_;
  if (!place.folder.empty()) config.export_dir = place.folder;
  try {
    thread_ = std::thread([this, config = std::move(config), job = std::move(job), place = std::move(place)] {
      work(config, job, place);
    });
  } catch (const std::exception& failure) {
    log::private_detail("job " + job_name, failure.what());
    return error_of_kind(ErrorKind::limit, "the machine has no thread left for the job",
                         "run it again later");
  }
  // Only now, so that a thread that could not start blocks no other job. The new one waits for the mutex.
  runs_[job_name] = std::move(run);
  running_ = job_name;
  return {};
}

// Computing the decided share takes some time, so it is only done now and then.
void JobRunner::note(const std::string& job, const engine::Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  std::optional<double> share;
  if (progress.decided_share && now - asked_share_at_ >= kSharePeriod) {
    asked_share_at_ = now;
    share = progress.decided_share();
  }
  const std::lock_guard lock(mutex_);
  auto& run = runs_[job];
  run.checks = progress.checks;
  if (progress.incumbent != nullptr) run.best = progress.incumbent->value();
  if (progress.lower_bound) run.bound = progress.lower_bound;
  if (share) run.decided_share = *share;
}

void JobRunner::work(const Config& config, const Job& job, const JobPlace& place) {
  AnonymizeRequest request;
  request.job = job;
  request.config = &config;
  request.policies = [&](const std::string& database) {
    const auto now = present_now_();
    Config current = now->config;
    current.interrupt = config.interrupt;
    return table_policies(current, now->specs, database);
  };
  request.is_from_console = true;
  request.records_up_to = place.records_up_to;
  AnonymizeHooks hooks;
  hooks.is_aborted = [this] { return is_cancelled_.load(); };
  asked_share_at_ = {};
  hooks.search_progress = [this, &job](const engine::Progress& progress) { note(job.name, progress); };
  hooks.input = place.on_input;
  end(job.name, run(request, hooks));
}

void JobRunner::end(const std::string& job, const Result<JobReport>& made) {
  const std::lock_guard lock(mutex_);
  auto& run = runs_[job];
  run.ended_at = utc_now();
  if (made) {
    run.state = JobState::done;
    run.rows = made->published_rows;
    run.report = std::make_shared<const JobReport>(*made);
    run.message = fmt::format("{}{}", fmt::join(made->targets, ", "),
                              made->groups.is_stopped ? "; stopped by limits.time"
                              : is_unproven(*made)    ? "; not proven to be the optimum"
                                                      : "");
  } else {
    run.state = is_cancelled_ ? JobState::cancelled : JobState::failed;
    run.message = one_line(made.error());
    run.failure = made.error();
    if (!made.error().private_detail.empty()) log::private_detail("job " + job, made.error().private_detail);
  }
  log::info("job " + job, fmt::format("{}: {}", name(run.state), run.message));
  running_.clear();
}

Result<void> JobRunner::cancel(const std::string& job) {
  const std::lock_guard lock(mutex_);
  if (running_ != job)
    return usage_error(fmt::format("job {} is not running", job), "SHOW JOBS lists the running job");
  is_cancelled_ = true;
  interrupt_->end_all();
  return {};
}

std::vector<JobRun> JobRunner::runs() const {
  const std::lock_guard lock(mutex_);
  std::vector<JobRun> runs;
  for (const auto& [job, run] : runs_) runs.push_back(run);
  return runs;
}

std::optional<JobRun> JobRunner::run_of(const std::string& job) const {
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find(job);
  return found == runs_.end() ? std::nullopt : std::optional(found->second);
}

bool JobRunner::forget(const std::string& job) {
  const std::lock_guard lock(mutex_);
  if (running_ == job) return false;
  runs_.erase(job);
  return true;
}

}  // namespace pgveil::app
