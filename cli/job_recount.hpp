#pragma once
// What a job promises of sensitive columns, as the second implementation (engine/recount) takes it, and its test of what is about
// to be published.
#include <optional>
#include <vector>

#include "cli/job_data.hpp"
#include "engine/recount/table_check.hpp"

namespace pgveil::cli {

// The sensitive attributes with their models. values: where hierarchies that are rules find the values they are made for.
// Errors: those of hierarchy_of.
[[nodiscard]] Result<std::vector<engine::CheckedColumn>> checked_columns(const Job& job,
                                                                         const engine::Table& values);

// The texts that will be written, counted against k and all models of values; they are compared with the input's distributions.
// Nothing to do for a job without such models: k is counted from what was written (engine/publish/recount). Errors, kind policy: classes
// that break a model.
[[nodiscard]] Result<void> recount_models(const Job& job, const JobData& data,
                                          const engine::Publication& publication);

}  // namespace pgveil::cli
