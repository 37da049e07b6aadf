#pragma once
// Groups that are published in place of a job's records (`algorithm: mondrian` and `least_loss`).
#include <functional>
#include <optional>

#include "db/server/progress.hpp"
#include "engine/data/hierarchy.hpp"
#include "engine/data/table.hpp"
#include "engine/mondrian/least_loss.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

struct JobGroupsReport {
  engine::GroupQuality tight, region, sets, region_sets;
  std::size_t rounds = 0;                  // least_loss: those that were done
  bool is_stopped = false;                 // least_loss: limits.time or an interrupt ended the work early
  std::optional<engine::LossBound> bound;  // least_loss; none if there was no time to find it
  double ms = 0;                           // for making the groups
};

struct JobGroups {
  engine::Table table;  // the input with its quasi-identifiers generalized, in the input's order
  JobGroupsReport report;
};

// The first two are called by any thread, `began` by the caller's, and `progress` by one thread at a time.
// All may be empty.
struct GroupsHooks {
  std::function<bool()> is_aborted;
  // least_loss: then the groups so far are published. `began` is called before anything can be stopped.
  std::function<bool()> wants_best_so_far;
  std::function<void()> began;
  db::Progress progress;
};

// Returns the hierarchy that a job gives for an attribute, for the values of its column.
using HierarchyOf = std::function<Result<engine::Hierarchy>(const JobAttribute& attribute)>;

}  // namespace pgveil::app
