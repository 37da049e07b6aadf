#include "engine/mondrian/generalized.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace pgveil::engine {
namespace {

RankRange shown_range(const Groups& groups, std::size_t group, std::size_t dimension, std::size_t dimensions,
                      Ranges ranges) {
  const std::size_t at = group * dimensions + dimension;
  switch (ranges) {
    case Ranges::tight: return groups.tight[at];
    case Ranges::region: return groups.boxes[at];
  }
  return groups.boxes[at];
}

}  // namespace

GroupQuality quality_of(const Groups& groups, std::span<const Dimension> dimensions, Ranges ranges) {
  GroupQuality out;
  out.groups = groups.size();
  out.certainty_penalties.resize(dimensions.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::uint64_t size = groups.size_of(g);
    out.smallest = g == 0 ? size : std::min(out.smallest, size);
    out.largest = std::max(out.largest, size);
    const auto n = static_cast<double>(size);
    double penalty = 0;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      const double of_dimension =
          certainty_penalty(dimensions[d], shown_range(groups, g, d, dimensions.size(), ranges));
      penalty += of_dimension;
      out.certainty_penalties[d] += n * of_dimension;
    }
    out.discernibility += n * n;
    out.certainty_penalty += n * penalty;
  }
  const auto cells = static_cast<double>(groups.records.size()) * static_cast<double>(dimensions.size());
  out.global_certainty_penalty = cells == 0 ? 0 : out.certainty_penalty / cells;
  return out;
}

Column generalized(const Groups& groups, std::span<const Dimension> dimensions, std::size_t d,
                   Ranges ranges) {
  std::vector<std::uint32_t> code_of_record(groups.records.size());
  std::map<std::pair<Rank, Rank>, std::uint32_t> code_of_range;
  std::vector<std::string> labels;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const RankRange range = shown_range(groups, g, d, dimensions.size(), ranges);
    const auto [known, is_new] =
        code_of_range.emplace(std::pair(range.low, range.high), static_cast<std::uint32_t>(labels.size()));
    if (is_new) labels.push_back(label(dimensions[d], range));
    for (std::uint64_t i = groups.begin_of(g); i < groups.ends[g]; ++i)
      code_of_record[groups.records[i]] = known->second;
  }
  ColumnEncoder encoder(dimensions[d].name);
  for (const auto code : code_of_record) encoder.add(labels[code]);
  return std::move(encoder).finish();
}

}  // namespace pgveil::engine
