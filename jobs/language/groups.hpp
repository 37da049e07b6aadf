#pragma once
// Groups that are published in place of a job's records (`algorithm: mondrian`).
#include <functional>

#include "engine/data/hierarchy.hpp"
#include "engine/data/table.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

struct JobGroupsReport {
  engine::GroupQuality tight, region;
  double ms = 0;  // for cutting
};

struct JobGroups {
  engine::Table table;  // the input with its quasi-identifiers generalized, in the input's order
  JobGroupsReport report;
};

// Returns the hierarchy of a quasi-identifier that is not numeric, for the values of its column.
using HierarchyOf = std::function<Result<engine::Hierarchy>(const JobAttribute& attribute)>;

}  // namespace pgveil::app
