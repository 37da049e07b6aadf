#pragma once
// Groups in place of a job's records (`algorithm: mondrian`), whoever cuts them.
#include <functional>

#include "engine/data/hierarchy.hpp"
#include "engine/data/table.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

struct JobGroupsReport {
  engine::GroupQuality tight, region;
  double ms = 0;  // of cutting
};

struct JobGroups {
  engine::Table table;  // the input with its quasi-identifiers generalized, in the input's order
  JobGroupsReport report;
};

// Of a quasi-identifier that is not numeric, for the values of its column.
using HierarchyOf = std::function<Result<engine::Hierarchy>(const JobAttribute& attribute)>;

// table: the attributes that are no identifiers, in the job's order. What comes back is not believed: classes
// are formed of it anew, and all models tested, before it is published.
using MakeGroups =
    std::function<Result<JobGroups>(const Job& job, engine::Table table, const HierarchyOf& hierarchy_of)>;

}  // namespace pgveil::app
