#pragma once
// Which transformations a job would have chosen in place of its own if no class broke a model of a sensitive
// column. Somebody who knows all quasi-identifiers and the job can tell: without these models the score of a
// transformation follows from sizes.
#include <optional>
#include <vector>

#include "common/error.hpp"
#include "engine/data/table.hpp"
#include "jobs/check/minimality.hpp"
#include "jobs/input/data.hpp"

namespace pgveil::app {

struct ChosenTransformation {
  std::vector<unsigned> levels;  // in the job's order
  std::vector<ForgoneChoice> forgone;
};

// At most so many of them are looked at, and as few as 32 if together they have more records than this.
inline constexpr std::size_t kMostForgone = 2'000, kMostForgoneRecords = std::size_t{1} << 25U;

// Repeats the job's search over its input, and the same without the models of sensitive columns. Forgone are
// those that the second search looks at or that are one level below the chosen one, and that score better by
// more than rounding. nullopt: the search ended before it had proven its best, or finds none; or the job
// compares with a population, so that scores do not follow from what is published. Errors: those of search.
// REQUIRES: the job generalizes by levels; data was read from its input.
[[nodiscard]] Result<std::optional<ChosenTransformation>> repeat_choice(const Job& job, const JobData& data);

}  // namespace pgveil::app
