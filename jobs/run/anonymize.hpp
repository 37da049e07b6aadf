#pragma once
// Runs a job: reads, prepares, searches and publishes. The command line and the console both use this.
// Nothing is published before everything is ready. The file is complete and recounted under another name, and
// the table in its transaction. Then the file gets its name and the table is committed. If the commit fails,
// the file is removed again.
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/server/progress.hpp"
#include "engine/publish/column_summary.hpp"
#include "engine/publish/contingency.hpp"
#include "jobs/language/groups.hpp"
#include "jobs/report/report.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// What the policies of a database release, at the time of the question.
struct TablePolicies {
  Config config;  // says what is open
  policy::Specs specs;
  // By the name of a policy with a source: the tables behind it (schema and name), but open ones.
  std::map<std::string, std::set<std::pair<std::string, std::string>>> behind;
};

struct AnonymizeRequest {
  Job job;
  // The input, in place of what the job names; null: what the job names is read. What is published then goes
  // to AnonymizeHooks::publication and nowhere else, and a NULL is the text job.null_text.
  const engine::Table* table = nullptr;
  // Both may be null when the job has no table. `policies` is asked at the start, and again just before the
  // job publishes, because it may run for hours; it reads the policies and open tables of that time.
  const Config* config = nullptr;
  std::function<Result<TablePolicies>(const std::string& database)> policies = nullptr;
  std::optional<std::vector<unsigned>> levels;  // a chosen transformation instead of the optimum
  std::optional<std::vector<unsigned>>
      heights;  // that the hierarchies must have, if levels come from an earlier run
  std::optional<std::string>
      certificate_key;         // a certificate is wanted; empty key: without the input's fingerprint
  bool wants_utility = false;  // for what is published
  // A column whose accuracy of prediction is part of the utility. REQUIRES: wants_utility.
  std::optional<std::string> predicted;
  bool wants_statistics = false;  // of columns, which go to AnonymizeHooks::statistics
  // Two columns whose pairs of values go to AnonymizeHooks::contingency.
  std::optional<std::pair<std::string, std::string>> contingency;
  // What the caller has read besides the job's own files: like them, it must not be the output.
  std::vector<std::string> files_read;
  // The hint if the output exists already and may not be replaced.
  std::string how_to_replace = "let output.replace be true";
  bool lists_only = false;          // record what is checked, but publish nothing
  bool is_from_console = false;     // only files below export_dir are allowed
  std::uint64_t records_up_to = 0;  // record what is checked if there are at most this many transformations
};

// Called on the thread of the job, the first three on its other threads as well: the first two by several at
// once, progress by one at a time. All may be empty.
struct AnonymizeHooks {
  std::function<bool()> wants_best_so_far;
  std::function<bool()> is_aborted;  // then nothing is published
  db::Progress progress;
  std::function<void(const engine::Progress&)> search_progress;
  // Groups of least loss are being formed, which is a search, too: wants_best_so_far ends it.
  std::function<void()> groups_began;
  // The search is over, and what it found is going to be published.
  std::function<void()> search_ended;
  // Called with the input as it was read, with all of its rows, before anything is done with it.
  std::function<void(const engine::Table&)> input;
  // Called before `before_publication` with the requested pairs of two columns. They are raw values, for the
  // owner of the data only.
  std::function<Result<void>(const engine::Contingency&)> contingency;
  // The same for summary statistics of the published columns.
  std::function<Result<void>(const std::vector<engine::ColumnSummary>&)> statistics;
  // Called with what is published if the request brings its input: complete and recounted.
  std::function<void(const engine::Publication&)> publication;
  // Called when everything is written but nothing has its final name yet, for work that must be done by then.
  // If it returns an error, nothing is published.
  std::function<Result<void>(const JobReport&)> before_publication;
};

[[nodiscard]] bool is_aborted(const AnonymizeHooks& hooks);
// The error of a job that was aborted, kind usage.
[[nodiscard]] Error interrupted();

// Errors in addition to those of its parts: no anonymous transformation was found; a chosen transformation is
// outside the levels that the job allows; ErrorKind::usage when aborted.
[[nodiscard]] Result<JobReport> anonymize(const AnonymizeRequest& request, const AnonymizeHooks& hooks);

// Only searches, once for each threshold k, which replaces the job's k; publishes nothing. If the best so far
// is requested, it ends early with what it has. If nothing is found, or a threshold is above the number of
// rows, this is no error: `search` then has no optimum. REQUIRES: at least one threshold.
[[nodiscard]] Result<std::vector<JobReport>> search_thresholds(const AnonymizeRequest& request,
                                                               const AnonymizeHooks& hooks,
                                                               std::span<const std::uint64_t> thresholds);

}  // namespace pgveil::app
