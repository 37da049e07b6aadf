#pragma once
// Translates what a job promises about sensitive columns for the second implementation (engine/recount), and
// checks with it what is about to be published.
#include <optional>
#include <span>
#include <vector>

#include "engine/recount/table_check.hpp"
#include "jobs/input/data.hpp"

namespace pgveil::app {

// The sensitive attributes with their models. values: a table with the values for which hierarchies given by
// a rule are made. Errors: those of hierarchy_of.
[[nodiscard]] Result<std::vector<engine::CheckedColumn>> checked_columns(const Job& job,
                                                                         const engine::Table& values);

struct ModelRecount {
  std::optional<std::uint64_t> fewest_units;  // in a class that counts; none if the job names no unit
};

// Counts the texts that will be written against k and all models; values are compared with the input's
// distributions. Does nothing for a job without such models, because k is counted from what was written
// (engine/publish/recount). levels: of the quasi-identifiers, in the job's order. Errors, kind policy:
// classes that break a model. REQUIRES: for a job with a unit, publication.source_rows are rows of
// data.table.
[[nodiscard]] Result<ModelRecount> recount_models(const Job& job, const JobData& data,
                                                  const engine::Publication& publication,
                                                  std::span<const unsigned> levels);

// Adds the population's records as a table published at these levels shows them. Errors: those of
// hierarchy_of; a column or level that does not exist; values that a hierarchy does not have.
[[nodiscard]] Result<void> add_population(const Job& job, const engine::Table& population,
                                          std::span<const unsigned> levels, engine::TableCheck& check);

// The levels at which a table shows the quasi-identifiers, judged by its texts. Errors: those of level_shown.
[[nodiscard]] Result<std::vector<unsigned>> levels_shown(const Job& job, const engine::Table& population,
                                                         const engine::Table& published);

}  // namespace pgveil::app
