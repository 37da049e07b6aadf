#pragma once
// Jobs that are set up on the page, over files that were uploaded there or, for whom the configuration lists, over tables: the same language, reader, runner and publication as `pgveil
// anonymize` and the console's jobs, but for where files are. A job's text names files as its author calls them; they stand for uploads of
// his, and for nothing else. What is published is kept for its author until he drops it, or others take its place. Thread-safe.
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cli/files/process_folder.hpp"
#include "cli/jobs/runner.hpp"
#include "cli/web/desk_files.hpp"
#include "cli/web/input_risk.hpp"
#include "cli/web/uploads.hpp"
#include "engine/risk/class_sizes.hpp"

namespace pgveil::cli {

// The file that the text of a job counts as: errors begin with it, and paths are relative to its folder, which does not exist.
inline constexpr std::string_view kDeskFile = "/uploads/job.yaml";

struct DeskText {
  std::string yaml;
  std::map<std::string, std::string> files;  // as the text calls them → uploads' ids
  std::optional<DeskSpark> spark = {};
};

// Who asks, under which configuration and catalogs.
struct DeskAuthor {
  std::shared_ptr<const Present> present;
  std::string role;
  DeskTables tables = DeskTables::none;
};

struct DeskRun {
  std::string id;    // what the console calls the job; no name that a job of the configuration can have
  std::string name;  // what its text does
  std::string yaml;
  JobRun run;
  bool reads_table = false;
};

// What a result is worth beside what its report says.
struct DeskMeasures {
  std::optional<engine::RiskFigures> before,
      after;  // of the quasi-identifiers; no rows: none
};

class Desk {
 public:
  static constexpr std::size_t kMostRuns = 12;
  static constexpr std::uint64_t kMostRecorded = 2'000;  // transformations of a lattice that is shown
  static constexpr std::int64_t kDefaultTimeMs = 600'000, kMostTimeMs = 3'600'000;
  static constexpr std::size_t kMostThreads = 8;

  // spark_folder: what the cluster's workers see too; none: `folder` is such. runner outlives this.
  Desk(ProcessFolder folder, std::optional<ProcessFolder> spark_folder, JobRunner& runner)
      : folder_(std::move(folder)),
        spark_folder_(std::move(spark_folder)),
        uploads_(folder_.path()),
        runner_(runner) {}
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  [[nodiscard]] Uploads& uploads() { return uploads_; }

  // Lets go of what nobody needs any more.
  void tidy();

  // Errors: the text's mistakes, which begin with kDeskFile; files that are no uploads; a table as input or output that the author may
  // not have; limits above those of the page; a cluster where none is configured, or for a job that it can't run.
  [[nodiscard]] Result<void> check(const DeskAuthor& author, const DeskText& text);
  // For the record: " FROM TABLE demo:public.people TO TABLE …"; empty: it has none, or check() refuses it.
  [[nodiscard]] std::string tables_in(const DeskAuthor& author, const DeskText& text);
  // → its id. Errors: those of check() and of JobRunner::start; ErrorKind::limit: as many runs are kept as can be.
  [[nodiscard]] Result<std::string> start(const DeskAuthor& author, const DeskText& text);
  // The latest first.
  [[nodiscard]] std::vector<DeskRun> runs_of(const std::string& owner) const;
  // Errors: unknown_object.
  [[nodiscard]] Result<DeskRun> run(const std::string& owner, const std::string& id) const;
  [[nodiscard]] Result<void> cancel(const std::string& owner, const std::string& id);
  // With what it published. Errors: unknown_object; usage: it is running.
  [[nodiscard]] Result<void> drop(const std::string& owner, const std::string& id);
  // What was published. Errors: unknown_object; nothing was.
  [[nodiscard]] Result<std::string> result(const std::string& owner, const std::string& id) const;
  // Counted when it is asked for first. Errors: those of result(), and of reading the files.
  [[nodiscard]] Result<DeskMeasures> measures(const std::string& owner, const std::string& id);

 private:
  struct Read {
    Job job;
    std::vector<std::shared_ptr<const UploadedFile>> files;
    std::map<std::string, std::string> names;  // by path
  };
  struct Entry {
    std::string owner, id, name, yaml;
    Job job;
    std::vector<std::shared_ptr<const UploadedFile>> files;  // until they are not read any more
    std::map<std::string, std::string> names;                // by path
    std::string output;
    std::shared_ptr<InputRisk> input_risk;  // null: the input is a file
    std::shared_ptr<const DeskMeasures> measures;
  };
  [[nodiscard]] Result<Read> read(const DeskAuthor& author, const DeskText& text);
  [[nodiscard]] const Entry* find(const std::string& owner, const std::string& id) const;  // under the lock
  [[nodiscard]] DeskRun shown(const Entry& entry) const;
  void make_room();
  [[nodiscard]] Result<DeskMeasures> measured_of(const Job& job, const InputRisk* input_risk) const;

  // REQUIRES: admin.http.spark is there.
  [[nodiscard]] SparkOrder order_of(const Config& config, const DeskSpark& spark,
                                    const std::string& id) const;

  const ProcessFolder folder_;
  const std::optional<ProcessFolder> spark_folder_;
  Uploads uploads_;
  JobRunner& runner_;
  mutable std::mutex mutex_;
  std::deque<Entry> runs_;  // the latest last
  std::uint64_t last_ = 0;
};

}  // namespace pgveil::cli
