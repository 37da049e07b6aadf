#pragma once
// Handles `aggregate` of a job's attributes: the key, what cannot be combined with it, and the table in which
// classes show one value of their own. The published table is then like mondrian's: its quasi-identifiers
// have no level above their values.
#include <span>
#include <vector>

#include "engine/publish/microaggregation.hpp"
#include "jobs/input/data.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {

[[nodiscard]] Result<engine::Microaggregate> read_aggregate(const yaml::Value& value);

// Prepares an attribute that is aggregated and has no hierarchy. It stays at `*` while classes are formed,
// and no metric counts it. Errors: a key that contradicts this.
[[nodiscard]] Result<void> hold_at_top(const JobEntries& entries, JobAttribute& attribute);

[[nodiscard]] bool is_aggregated_alone(const JobAttribute& attribute);

// Errors: all quasi-identifiers are aggregated without a hierarchy. REQUIRES: the attributes are read.
[[nodiscard]] Result<void> check_classes(const yaml::Value& attributes, const Job& job);

// Errors: promises that two classes may each keep but break together once they look alike; promises that are
// counted by the hierarchies. REQUIRES: the whole job is read.
[[nodiscard]] Result<void> check_aggregates(const yaml::Value& attributes, const Job& job);

// A hierarchy of two levels: each value, then `*`.
[[nodiscard]] engine::Hierarchy hierarchy_to_top(const engine::Column& column);

// The aggregated columns in the form of the engine, in the job's order; empty: the job has none.
[[nodiscard]] std::vector<engine::MicroaggregatedColumn> aggregated_columns(const Job& job);

struct AggregatedData {
  engine::Microaggregation made;  // its table is in `shown`
  ShownTable shown;
};

// levels: in the job's order. Errors: those of microaggregate and of show_table.
[[nodiscard]] Result<AggregatedData> aggregate_job(const Job& job, const JobData& data,
                                                   std::span<const unsigned> levels,
                                                   const engine::Anonymity& anonymity);

}  // namespace pgveil::app
