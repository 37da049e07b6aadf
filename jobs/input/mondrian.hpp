#pragma once
// Handles `algorithm: mondrian` and `algorithm: least_loss` of a job: their keys, and the table of groups
// that is published in place of the input.
#include <array>
#include <string_view>
#include <utility>

#include "engine/data/table.hpp"
#include "jobs/input/data.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {

// Reads the keys `algorithm` (if it makes groups), `mondrian`, `least_loss` and `resist` of the document into
// `job`. Errors: a key that has no meaning for the requested algorithm; a model that groups cannot promise.
// REQUIRES: the rest of the job is read.
[[nodiscard]] Result<void> read_groups(const JobEntries& entries, const yaml::Value& attributes, Job& job);

[[nodiscard]] bool asks_for_groups(const JobEntries& entries);
// Whether groups will show sets, so that quasi-identifiers need no hierarchy.
[[nodiscard]] bool asks_for_sets(const JobEntries& entries);

// "mondrian" or "least_loss".
[[nodiscard]] std::string_view algorithm_of(const JobMondrian& groups);

// hierarchy_of: called for attributes that have a hierarchy. Errors: those of numeric_dimension,
// categorical_dimension, make_sensitive_values, mondrian and lose_least; a column of too many values for sets
// that has no hierarchy; a value that looks like a set.
[[nodiscard]] Result<JobGroups> make_groups(const Job& job, engine::Table table,
                                            const HierarchyOf& hierarchy_of, const GroupsHooks& hooks);

// The words that a job uses for them.
inline constexpr std::array<std::pair<std::string_view, engine::CutBy>, 4> kCutBy{
    {{"normalized_span", engine::CutBy::normalized_span},
     {"span", engine::CutBy::span},
     {"entropy", engine::CutBy::entropy},
     {"min_entropy", engine::CutBy::min_entropy}}};
// Cuts are drawn where the job says `resist`.
inline constexpr std::array<std::pair<std::string_view, engine::Cuts>, 2> kCuts{
    {{"strict", engine::Cuts::strict}, {"relaxed", engine::Cuts::relaxed}}};
inline constexpr std::array<std::pair<std::string_view, engine::Ranges>, 4> kRanges{
    {{"tight", engine::Ranges::tight},
     {"region", engine::Ranges::region},
     {"sets", engine::Ranges::sets},
     {"region_sets", engine::Ranges::region_sets}}};
inline constexpr std::array<std::pair<std::string_view, ResistedAttack>, 3> kResistedAttacks{
    {{"downcoding", ResistedAttack::downcoding},
     {"minimality", ResistedAttack::minimality},
     {"refinement", ResistedAttack::refinement}}};
[[nodiscard]] std::string_view word_of(engine::CutBy cut_by);
[[nodiscard]] std::string_view word_of(engine::Cuts cuts);
[[nodiscard]] std::string_view word_of(engine::Ranges ranges);
[[nodiscard]] std::string_view word_of(ResistedAttack attack);

// The hierarchy of a column whose values stay as they are.
[[nodiscard]] engine::Hierarchy identity_hierarchy(const engine::Column& column);

}  // namespace pgveil::app
