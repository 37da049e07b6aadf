#pragma once
// How wrong the answers to a question are: GROUP BY some columns, counted through a tree and counted in
// truth. What an analyst loses by the tree, where disclosure.hpp says what the cells lose.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/counts/counts.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

// One question's answer. A group is a combination of values of its attributes that some row has, without
// NULL. A row is shown in its group where its cohort releases all of the attributes; so a group is never
// counted too high. A group's error is the share of its rows that are not shown, in parts per million,
// rounded to the nearest; every group weighs the same.
struct AnswerError {
  std::vector<std::uint32_t> attributes;  // of the tree
  std::uint64_t groups = 0;
  std::uint64_t groups_shown = 0;  // with a row that is shown
  std::uint64_t rows = 0;          // without NULL in these attributes
  std::uint64_t rows_shown = 0;
  std::uint64_t mean_error_ppm = 0;
  std::uint64_t p95_error_ppm = 0;  // 95 % of the groups have no larger error (nearest rank)
  // Of the ten largest groups (all, where there are fewer) those that are among the ten largest of the
  // answer. Of groups of one size the one whose values' texts come first is the larger.
  std::uint64_t top_groups = 0;
  std::uint64_t top_kept = 0;
  bool operator==(const AnswerError&) const = default;
};

// In the order of the questions. Levels are attributes as others are: one is shown where it or a finer one of
// its column was released. Without groups all numbers are 0. Counts may be newer than the tree's own.
// REQUIRES: each question names attributes of the tree, at least one and none twice.
[[nodiscard]] std::vector<AnswerError> answer_errors(const DisclosureTree& tree, const Counts& counts,
                                                     std::span<const std::vector<std::uint32_t>> questions);

// Per entry of the counts, bit a: its row shows attribute a. path_ends: of routing.hpp.
[[nodiscard]] std::vector<std::uint64_t> shown_by_entry(const DisclosureTree& tree, const CountsView& counts,
                                                        std::span<const NodeIndex> path_ends);
[[nodiscard]] std::vector<std::uint64_t> shown_by_entry(const DisclosureTree& tree, const CountsView& counts);

// The same measure for who holds many trees against the same counts: groups are found once.
class AnswerMeter {
 public:
  // REQUIRES: the view outlives the meter; of questions what answer_errors says.
  AnswerMeter(const CountsView& counts, std::span<const std::vector<std::uint32_t>> questions);

  [[nodiscard]] std::size_t question_count() const { return questions_.size(); }
  // REQUIRES: shown as shown_by_entry gives it.
  [[nodiscard]] AnswerError measure(std::size_t question, std::span<const std::uint64_t> shown) const;
  // The mean alone, in parts per million; O(entries + groups).
  [[nodiscard]] std::uint64_t mean_error_ppm(std::size_t question,
                                             std::span<const std::uint64_t> shown) const;

 private:
  struct Groups {
    std::vector<std::uint32_t> attributes;
    std::uint64_t mask = 0;               // bit a: it is about attribute a
    std::vector<std::uint32_t> group_of;  // per place in counts.entries(); kNoGroup where a value is NULL
    std::vector<std::uint32_t> sample;    // per group an entry of it
    std::vector<std::uint64_t> rows;      // per group
  };

  [[nodiscard]] Groups find_groups(const std::vector<std::uint32_t>& question) const;
  [[nodiscard]] std::vector<std::uint64_t> rows_shown(const Groups& groups,
                                                      std::span<const std::uint64_t> shown) const;
  [[nodiscard]] std::vector<std::uint32_t> largest(const Groups& groups,
                                                   const std::vector<std::uint64_t>& rows) const;
  [[nodiscard]] bool comes_before(const Groups& groups, std::uint32_t a, std::uint32_t b) const;

  const CountsView& counts_;
  std::vector<Groups> questions_;
};

}  // namespace pgveil::policy
