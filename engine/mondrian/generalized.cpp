#include "engine/mondrian/generalized.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace pgveil::engine {
namespace {

// What a group shows in one dimension. As a set: its bits, and 0.
using Shown = std::pair<std::uint64_t, std::uint64_t>;

class ShownCells {
 public:
  ShownCells(const Groups& groups, std::span<const Dimension> dimensions,
             std::span<const CodeColumn* const> columns, std::size_t d, Ranges ranges)
      : groups_(groups),
        dimension_(dimensions[d]),
        column_(*columns[d]),
        d_(d),
        dimensions_(dimensions.size()),
        has_regions_(ranges == Ranges::region || ranges == Ranges::region_sets),
        shows_sets_((ranges == Ranges::sets || ranges == Ranges::region_sets) && has_sets(dimension_)) {}

  [[nodiscard]] Shown of(std::size_t group) const {
    if (!shows_sets_) {
      const auto& range = (has_regions_ ? groups_.boxes : groups_.tight)[group * dimensions_ + d_];
      return {range.low, range.high};
    }
    RankSet set = 0;
    if (has_regions_) {
      const auto& region = groups_.boxes[group * dimensions_ + d_];
      for (Rank rank = region.low; rank <= region.high; ++rank) set |= RankSet{1} << rank;
      return {set, 0};
    }
    for (std::uint64_t i = groups_.begin_of(group); i < groups_.ends[group]; ++i)
      set |= RankSet{1} << dimension_.rank_of[column_.at(groups_.records[i])];
    return {set, 0};
  }
  [[nodiscard]] double penalty(const Shown& shown) const {
    return shows_sets_ ? certainty_penalty_of_set(dimension_, shown.first)
                       : certainty_penalty(dimension_, range_of(shown));
  }
  [[nodiscard]] std::string text(const Shown& shown) const {
    return shows_sets_ ? label_of_set(dimension_, shown.first) : label(dimension_, range_of(shown));
  }

 private:
  static RankRange range_of(const Shown& shown) {
    return {static_cast<Rank>(shown.first), static_cast<Rank>(shown.second)};
  }

  const Groups& groups_;
  const Dimension& dimension_;
  const CodeColumn& column_;
  std::size_t d_, dimensions_;
  bool has_regions_, shows_sets_;
};

}  // namespace

GroupQuality quality_of(const Groups& groups, std::span<const Dimension> dimensions,
                        std::span<const CodeColumn* const> columns, Ranges ranges) {
  GroupQuality out;
  out.groups = groups.size();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::uint64_t size = groups.size_of(g);
    out.smallest = g == 0 ? size : std::min(out.smallest, size);
    out.largest = std::max(out.largest, size);
    out.discernibility += static_cast<double>(size) * static_cast<double>(size);
  }
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const ShownCells cells(groups, dimensions, columns, d, ranges);
    double sum = 0;
    for (std::size_t g = 0; g < groups.size(); ++g)
      sum += static_cast<double>(groups.size_of(g)) * cells.penalty(cells.of(g));
    out.certainty_penalties.push_back(sum);
    out.certainty_penalty += sum;
  }
  const auto cells = static_cast<double>(groups.records.size()) * static_cast<double>(dimensions.size());
  out.global_certainty_penalty = cells == 0 ? 0 : out.certainty_penalty / cells;
  return out;
}

Column generalized(const Groups& groups, std::span<const Dimension> dimensions,
                   std::span<const CodeColumn* const> columns, std::size_t d, Ranges ranges) {
  const ShownCells cells(groups, dimensions, columns, d, ranges);
  std::vector<std::uint32_t> code_of_record(groups.records.size());
  std::map<Shown, std::uint32_t> code_of_shown;
  std::vector<std::string> labels;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Shown shown = cells.of(g);
    const auto [known, is_new] = code_of_shown.emplace(shown, static_cast<std::uint32_t>(labels.size()));
    if (is_new) labels.push_back(cells.text(shown));
    for (std::uint64_t i = groups.begin_of(g); i < groups.ends[g]; ++i)
      code_of_record[groups.records[i]] = known->second;
  }
  ColumnEncoder encoder(dimensions[d].name);
  for (const auto code : code_of_record) encoder.add(labels[code]);
  return std::move(encoder).finish();
}

}  // namespace pgveil::engine
