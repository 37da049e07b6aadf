#pragma once
// What somebody gets who knows the job and all quasi-identifiers of every person, and repeats the job on
// these. If only they decide what is published, the class of each person is certain. If models of sensitive
// columns decide too, what was not chosen tells of the sensitive values (minimality.hpp).
#include <cstdint>
#include <optional>
#include <vector>

#include "common/error.hpp"
#include "engine/data/table.hpp"
#include "jobs/check/minimality.hpp"
#include "jobs/check/published_classes.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// [row of the input]: the number of its class in the file. nullopt: the file does not show it as the repeated
// job does.
using RepeatedClasses = std::vector<std::optional<std::uint32_t>>;

// Whether the quasi-identifiers of the records decide the group of each, whatever their order and their other
// values are: strict cuts, and no model but k.
[[nodiscard]] bool is_decided_by_values(const Job& job);

// Of a job that makes groups. nullopt: it is another job, its cuts are drawn, it counts a unit that the file
// does not have, or the repeated job shows other classes than the file. Errors: those of read_job_data.
[[nodiscard]] Result<std::optional<RepeatedClasses>> repeat_groups(const Job& job, const engine::Table& input,
                                                                   const engine::Table& published,
                                                                   const PublishedClasses& classes);

// Of a job that generalizes by levels and has models of sensitive columns. With local recoding, of its first
// transformation. nullopt: it is another job, or its search does not choose what the file shows, or the file
// does not tell what a model compares with. Errors: those of read_job_data and of search.
[[nodiscard]] Result<std::optional<Minimality>> repeat_search(const Job& job, const engine::Table& input,
                                                              const engine::Table& published,
                                                              const PublishedClasses& classes);

}  // namespace pgveil::app
