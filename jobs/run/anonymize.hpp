#pragma once
// A job, run: read, prepared, searched, published. The same for the command line and the console. Nothing is
// there before everything is: the file is complete and counted again under another name, the table in its
// transaction; then the file takes its name and the table is committed. If that fails, the file is taken
// back.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/server/progress.hpp"
#include "engine/publish/contingency.hpp"
#include "jobs/language/groups.hpp"
#include "jobs/report/report.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

struct AnonymizeRequest {
  Job job;
  // Both null when the job has no table.
  const Config* config = nullptr;
  const policy::Specs* specs = nullptr;
  std::optional<std::vector<unsigned>> levels;  // a chosen transformation instead of the optimum
  std::optional<std::vector<unsigned>>
      heights;  // that the hierarchies must have, for levels of an earlier run
  std::optional<std::string>
      certificate_key;         // a certificate is wanted; empty: without the input's fingerprint
  bool wants_utility = false;  // measured of what is published
  // Two columns, whose pairs of values go to AnonymizeHooks::contingency.
  std::optional<std::pair<std::string, std::string>> contingency;
  bool lists_only = false;          // record what is checked, publish nothing
  bool is_from_console = false;     // files only below export_dir
  std::uint64_t records_up_to = 0;  // record what is checked if there are no more transformations than this
};

// Called on the thread of the job; all may be empty.
struct AnonymizeHooks {
  std::function<bool()> wants_best_so_far;
  std::function<bool()> is_aborted;  // nothing is published
  db::Progress progress;
  std::function<void(const engine::Progress&)> search_progress;
  // The input as it was read, with all of its rows, before anything is made of it.
  std::function<void(const engine::Table&)> input;
  // What the request asks for of two columns, before the next: raw values, for nobody but the owner of the
  // data.
  std::function<Result<void>(const engine::Contingency&)> contingency;
  // Everything is written, and nothing has its final name yet: what must be safe by then. An error publishes
  // nothing.
  std::function<Result<void>(const JobReport&)> before_publication;
};

// Errors, beside those of what it is made of: nothing anonymous was found; a chosen transformation outside
// the levels that the job allows; ErrorKind::usage when aborted.
[[nodiscard]] Result<JobReport> anonymize(const AnonymizeRequest& request, const AnonymizeHooks& hooks);

// The search alone, once for each k, which replaces the job's; nothing is published. Ends early, with what it
// has, when the best so far is wanted. What was not found is no error here: `search` has no optimum.
// REQUIRES: at least one.
[[nodiscard]] Result<std::vector<JobReport>> search_thresholds(const AnonymizeRequest& request,
                                                               const AnonymizeHooks& hooks,
                                                               std::span<const std::uint64_t> thresholds);

}  // namespace pgveil::app
