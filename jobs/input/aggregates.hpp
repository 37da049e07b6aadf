#pragma once
// `aggregate` of a job's attributes: the key, what can't stand beside it, and the table in which classes show
// one value of their own. What is published is then a table like mondrian's, whose quasi-identifiers have
// nothing above their values.
#include <span>
#include <vector>

#include "engine/publish/microaggregation.hpp"
#include "jobs/input/data.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {

[[nodiscard]] Result<engine::Microaggregate> read_aggregate(const yaml::Value& value);

// Of an attribute that is aggregated and has no hierarchy: it stands at `*` while classes are formed, and no
// metric minds. Errors: a key that says something else.
[[nodiscard]] Result<void> hold_at_top(const JobEntries& entries, JobAttribute& attribute);

[[nodiscard]] bool is_aggregated_alone(const JobAttribute& attribute);

// Error: all quasi-identifiers are aggregated alone. REQUIRES: the attributes are read.
[[nodiscard]] Result<void> check_classes(const yaml::Value& attributes, const Job& job);

// Errors: what two classes that come to look alike may keep each and break together; what is counted by the
// hierarchies. REQUIRES: all of the job is read.
[[nodiscard]] Result<void> check_aggregates(const yaml::Value& attributes, const Job& job);

// Each value, then `*`.
[[nodiscard]] engine::Hierarchy hierarchy_to_top(const engine::Column& column);

// As the engine takes them, in the job's order; empty: the job has none.
[[nodiscard]] std::vector<engine::MicroaggregatedColumn> aggregated_columns(const Job& job);

struct AggregatedData {
  engine::Microaggregation made;
  engine::PreparedTable prepared;  // of made.table
};

// levels: in the job's order. Errors: those of microaggregate and of prepare.
[[nodiscard]] Result<AggregatedData> aggregate_job(const Job& job, const JobData& data,
                                                   std::span<const unsigned> levels,
                                                   const engine::Anonymity& anonymity);

}  // namespace pgveil::app
