#pragma once
// Handles `algorithm: mondrian` of a job: its keys, and the table of groups that is published in place of the
// input.
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "db/server/progress.hpp"
#include "engine/data/table.hpp"
#include "jobs/input/data.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {

// Reads the keys `algorithm` (if it is mondrian) and `mondrian` of the document into `job`. Errors: a key
// that has no meaning for the requested algorithm; a model that groups cannot promise. REQUIRES: the rest of
// the job is read.
[[nodiscard]] Result<void> read_mondrian(const JobEntries& entries, const yaml::Value& attributes, Job& job);

[[nodiscard]] bool asks_for_mondrian(const JobEntries& entries);

// hierarchy_of: called for attributes that are not numeric. Errors: those of numeric_dimension,
// categorical_dimension and mondrian.
[[nodiscard]] Result<JobGroups> cut_into_groups(const Job& job, engine::Table table,
                                                const HierarchyOf& hierarchy_of,
                                                const std::function<bool()>& is_aborted,
                                                const db::Progress& progress);

// The words that a job uses for them.
inline constexpr std::array<std::pair<std::string_view, engine::CutBy>, 4> kCutBy{
    {{"normalized_span", engine::CutBy::normalized_span},
     {"span", engine::CutBy::span},
     {"entropy", engine::CutBy::entropy},
     {"min_entropy", engine::CutBy::min_entropy}}};
inline constexpr std::array<std::pair<std::string_view, engine::Cuts>, 2> kCuts{
    {{"strict", engine::Cuts::strict}, {"relaxed", engine::Cuts::relaxed}}};
inline constexpr std::array<std::pair<std::string_view, engine::Ranges>, 2> kRanges{
    {{"tight", engine::Ranges::tight}, {"region", engine::Ranges::region}}};
[[nodiscard]] std::string_view word_of(engine::CutBy cut_by);
[[nodiscard]] std::string_view word_of(engine::Cuts cuts);
[[nodiscard]] std::string_view word_of(engine::Ranges ranges);

// The hierarchy of a column whose values stay as they are.
[[nodiscard]] engine::Hierarchy identity_hierarchy(const engine::Column& column);

}  // namespace pgveil::app
