#pragma once
// What a version's answers are worth (policy/utility/utility.hpp), for people: SHOW UTILITY, the figures of
// BUILD, CHECK POLICY and SHOW POLICIES, and the plain words after a build. Nothing here quotes a value, but
// most of it counts values, so it is for admin_users, except where it says otherwise.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "console/console.hpp"
#include "policy/version/version.hpp"

namespace pgveil::console {

// "12.3%" of parts per million.
[[nodiscard]] std::string shown_ppm(std::uint64_t ppm, int digits = 1);

// "city, sex"
[[nodiscard]] std::string question_text(const policy::DisclosureTree& tree,
                                        std::span<const std::uint32_t> attributes);

// ", of at most 88.4% that any suppression could show"; nothing where the bound is not known.
[[nodiscard]] std::string bound_text(const std::optional<policy::Utility>& utility,
                                     const policy::Disclosure& disclosure);

// The cells at_most, mean_error and least_shown; NULL where nothing was measured. Standing::stats: whole per
// cents, and no mean error, because one row with a new value changes it by more than a per cent
// (docs/utility.md, "Who may see them").
[[nodiscard]] std::vector<std::optional<std::string>> utility_cells(
    const policy::DisclosureTree& tree, const policy::Disclosure& disclosure,
    const std::optional<policy::Utility>& utility, Standing standing = Standing::admin);

// SHOW UTILITY: a row per column, pair and question of the workload; the hints as notices.
[[nodiscard]] Table utility_table(const policy::PolicyVersion& version);

// Columns that are never shown, with the level that would help, and columns that follow from others. One line
// each.
[[nodiscard]] std::vector<std::string> utility_hints(const policy::PolicyVersion& version);

// After a build: what readers see of each column and of each declared question, then the hints.
[[nodiscard]] std::vector<std::string> utility_lines(const policy::PolicyVersion& version);

// After a build of this policy: utility_lines, and the columns that the policy does not list, of which
// readers only ever see NULL.
[[nodiscard]] std::vector<std::string> build_lines(const policy::PolicySpec& spec,
                                                   const policy::PolicyVersion& version);

// `pgveil policy diff`: per question that was measured of either, what was shown and how wrong it was.
[[nodiscard]] Table answers_table(const policy::PolicyVersion& before, const policy::PolicyVersion& after);

}  // namespace pgveil::console
