#pragma once
// Jobs that are set up on the page. Their input is a file that was uploaded there or, for admins whom the
// configuration lists, a table. Language, reader, runner and publication are those of `pgveil anonymize` and
// of the console's jobs; only the files are elsewhere. A job's text names files as its author calls them.
// Such a name stands for an upload of this author, and for nothing else. What a job published is kept for its
// author until the author drops it, or later results take its place. Thread-safe.
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/files/process_folder.hpp"
#include "daemon/jobs/runner.hpp"
#include "engine/risk/class_sizes.hpp"
#include "web/api/page_job_files.hpp"
#include "web/api/uploads.hpp"

namespace pgveil::app {

// The path that a job's text is read under. Errors begin with it, and paths in the text are relative to its
// folder, which does not exist.
inline constexpr std::string_view kPageJobFile = "/uploads/job.yaml";

struct PageJobText {
  std::string yaml;
  std::map<std::string, std::string> files;  // name in the text → id of the upload
};

// Who asks, with the configuration and catalogs at that time.
struct PageJobAuthor {
  std::shared_ptr<const Present> present;
  std::string role;
  PageJobTables tables = PageJobTables::none;
};

struct PageJobRun {
  std::string id;    // the name of the job on the console; no job of the configuration can have such a name
  std::string name;  // the name in its text
  std::string yaml;
  JobRun run;
  bool reads_table = false;
};

// Figures about a result that are not in its report.
struct PageJobMeasures {
  std::optional<engine::RiskFigures> before,
      after;                       // of the quasi-identifiers; unset if there are no rows
  std::uint64_t starred_rows = 0;  // of the result: all their quasi-identifiers show `*`
};

// Measures the risks of the rows that a job reads, before the job changes them. So the raw file need not be
// kept until somebody asks. Thread-safe: the job's thread brings the rows, and threads of the page ask for
// the figures.
class InputRisk {
 public:
  // Measures these columns. threshold: as in measure_risk.
  InputRisk(std::vector<std::string> columns, double threshold)
      : columns_(std::move(columns)), threshold_(threshold) {}

  void measure(const engine::Table& input);
  // nullopt: no rows were read, or they cannot be measured.
  [[nodiscard]] std::optional<engine::RiskFigures> figures() const;

 private:
  const std::vector<std::string> columns_;
  const double threshold_;
  mutable std::mutex mutex_;
  std::optional<engine::RiskFigures> figures_;
};

class PageJobs {
 public:
  static constexpr std::size_t kMostRuns = 12;
  static constexpr std::uint64_t kMostRecorded = 10'000;  // transformations of a lattice that is shown
  static constexpr std::int64_t kDefaultTimeMs = 600'000, kMostTimeMs = 3'600'000;
  static constexpr std::size_t kMostThreads = 8;

  // runner must outlive this object.
  PageJobs(ProcessFolder folder, JobRunner& runner)
      : folder_(std::move(folder)), uploads_(folder_.path()), runner_(runner) {}
  ~PageJobs();
  PageJobs(const PageJobs&) = delete;
  PageJobs& operator=(const PageJobs&) = delete;

  [[nodiscard]] Uploads& uploads() { return uploads_; }

  // Removes uploads that nobody has used for Uploads::kKept, and the files that runs read which have ended,
  // if their uploads are gone too. Called at each request, because nothing else happens when there is none.
  void tidy();

  // Checks a job without running it. Errors: mistakes in the text, which begin with kPageJobFile; files that
  // are no uploads; a table as input or output that the author may not use; limits above those of the page.
  [[nodiscard]] Result<void> check(const PageJobAuthor& author, const PageJobText& text);
  // The job's tables for the audit log: " FROM TABLE demo:public.people TO TABLE …". Empty: the job has no
  // tables, or check() refuses it.
  [[nodiscard]] std::string tables_in(const PageJobAuthor& author, const PageJobText& text);
  // Starts the job and returns its id. Errors: those of check() and of JobRunner::start; ErrorKind::limit:
  // there are already as many runs as can be kept.
  [[nodiscard]] Result<std::string> start(const PageJobAuthor& author, const PageJobText& text);
  // The latest first.
  [[nodiscard]] std::vector<PageJobRun> runs_of(const std::string& owner) const;
  // Errors: unknown_object.
  [[nodiscard]] Result<PageJobRun> run(const std::string& owner, const std::string& id) const;
  [[nodiscard]] Result<void> cancel(const std::string& owner, const std::string& id);
  // Forgets the run and what it published. Errors: unknown_object; usage: it is still running.
  [[nodiscard]] Result<void> drop(const std::string& owner, const std::string& id);
  // The file that was published. Errors: unknown_object; nothing was published.
  [[nodiscard]] Result<std::string> result(const std::string& owner, const std::string& id) const;
  // The result is measured when somebody asks for the first time. Errors: those of result(), and of reading
  // the result.
  [[nodiscard]] Result<PageJobMeasures> measures(const std::string& owner, const std::string& id);

 private:
  struct Read {
    Job job;
    std::vector<std::shared_ptr<const UploadedFile>> files;
    std::map<std::string, std::string> names;  // by path
  };
  struct Entry {
    std::string owner, id, name, yaml;
    Job job;
    std::vector<std::shared_ptr<const UploadedFile>> files;  // until tidy() after the end of the run
    std::map<std::string, std::string> names;                // by path
    std::string output;
    std::shared_ptr<InputRisk> input_risk;
    std::shared_ptr<const PageJobMeasures> measures;
  };
  [[nodiscard]] Result<Read> read(const PageJobAuthor& author, const PageJobText& text);
  [[nodiscard]] const Entry* find(const std::string& owner, const std::string& id) const;  // under the lock
  [[nodiscard]] PageJobRun shown(const Entry& entry) const;
  void make_room();
  [[nodiscard]] Result<PageJobMeasures> measured_of(const Job& job, const InputRisk& input_risk) const;

  const ProcessFolder folder_;
  Uploads uploads_;
  JobRunner& runner_;
  mutable std::mutex mutex_;
  std::deque<Entry> runs_;  // the latest last
  std::uint64_t last_ = 0;
};

}  // namespace pgveil::app
