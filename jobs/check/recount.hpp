#pragma once
// What a job promises of sensitive columns, as the second implementation (engine/recount) takes it, and its
// test of what is about to be published.
#include <optional>
#include <span>
#include <vector>

#include "engine/recount/table_check.hpp"
#include "jobs/input/data.hpp"

namespace pgveil::app {

// The sensitive attributes with their models. values: where hierarchies that are rules find the values they
// are made for. Errors: those of hierarchy_of.
[[nodiscard]] Result<std::vector<engine::CheckedColumn>> checked_columns(const Job& job,
                                                                         const engine::Table& values);

// The texts that will be written, counted against k and all models; values are compared with the input's
// distributions. Nothing to do for a job without such models: k is counted from what was written
// (engine/publish/recount). Errors, kind policy: classes that break a model. levels: of the
// quasi-identifiers, in the job's order.
[[nodiscard]] Result<void> recount_models(const Job& job, const JobData& data,
                                          const engine::Publication& publication,
                                          std::span<const unsigned> levels);

// The population's records, as a table published at these levels shows them. Errors: those of hierarchy_of; a
// column or a level that is not there; values that a hierarchy has not.
[[nodiscard]] Result<void> add_population(const Job& job, const engine::Table& population,
                                          std::span<const unsigned> levels, engine::TableCheck& check);

// The levels at which a table shows the quasi-identifiers, by its texts. Errors: those of level_shown.
[[nodiscard]] Result<std::vector<unsigned>> levels_shown(const Job& job, const engine::Table& population,
                                                         const engine::Table& published);

}  // namespace pgveil::app
