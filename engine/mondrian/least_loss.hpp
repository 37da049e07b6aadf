#pragma once
// Groups that lose as little as possible: Mondrian's groups are the start, and a local search improves them.
// Use it when a table is published once and read by people or models. Do not use it where all records must
// show the same levels: that is the search over transformations (engine/search).
//
// Finding the best groups is NP-hard (Meyerson and Williams 2004), so this is a heuristic. loss_bound() says
// how far from the best it is at most.
//
// The search goes in rounds. Each round puts the groups in an order in which similar ones are close: by the
// values of one of their records, at levels that are drawn for the round. It then cuts the order into
// neighbourhoods of a few groups, and improves each by itself (regroup.hpp): by moving and exchanging
// records, and in every other round by grouping the records anew. The first round takes neighbourhoods of
// some thousand records. No step loses more than the one before, and every group keeps the models after
// each. So the work can be stopped within Mondrian and within a round: parts that are not cut are groups, and
// neighbourhoods that were not improved stay as they are.
#include <cstdint>
#include <functional>
#include <span>

#include "common/error.hpp"
#include "engine/check/parallel.hpp"
#include "engine/mondrian/generalized.hpp"
#include "engine/mondrian/mondrian.hpp"
#include "engine/privacy/anonymity.hpp"
#include "engine/privacy/sensitive_values.hpp"

namespace pgveil::engine {

struct LeastLossOptions {
  std::uint64_t k = 2;                 // ≥ 1
  std::vector<SensitiveModel> models;  // as in MondrianOptions
  std::span<const SensitiveValues> values;
  Ranges ranges = Ranges::sets;  // what the loss is measured on: tight or sets
  std::size_t rounds = 60;       // after the first; fewer if twenty of them gain less than a thousandth
  Parallel parallel;
  std::function<bool()> is_aborted;  // called by any thread, as is the next
  // True ends the work soon: what is not done stays as it is, and the groups so far are the result.
  std::function<bool()> is_stopped;
  std::function<void(std::size_t round)> progress;  // of those that are done
};

struct LeastLoss {
  Groups groups;            // their boxes are the tight ones
  std::size_t rounds = 0;   // that were done completely
  bool is_stopped = false;  // LeastLossOptions::is_stopped ended the work, and more would have followed
};

// The result depends on nothing but the arguments, and not on the number of threads. Arguments and errors:
// those of mondrian().
[[nodiscard]] Result<LeastLoss> lose_least(std::span<const Dimension> dimensions,
                                           std::span<const CodeColumn* const> columns,
                                           std::span<const CodeColumn* const> sensitive,
                                           const LeastLossOptions& options);

// No grouping into groups of k records loses less than this, as a GCP (docs/engine.md): each record is in a
// group with k − 1 others, so it loses at least as much as it would in a group with the (k − 1)-th closest of
// all others. Models beside k are not considered.
struct LossBound {
  double least = 0;
  // With more records than this, a sample of so many is measured. `least` is then too high with a probability
  // of at most 1 % (Maurer and Pontil 2009, theorem 4).
  static constexpr std::size_t kMostRecords = std::size_t{1} << 15U;
  bool is_estimated = false;
  bool is_stopped = false;  // before anything was known; `least` is 0 then
};

// groups: those of these columns, in which close records are looked for first; any groups give the same
// bound. is_stopped: may be empty; called by any thread.
[[nodiscard]] LossBound loss_bound(std::span<const Dimension> dimensions,
                                   std::span<const CodeColumn* const> columns, const Groups& groups,
                                   std::uint64_t k, Ranges ranges, const Parallel& parallel,
                                   const std::function<bool()>& is_stopped = {});

}  // namespace pgveil::engine
