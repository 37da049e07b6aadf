#include "jobs/check/refinement.hpp"

#include <algorithm>
#include <optional>

namespace pgveil::app {
namespace {

using Codes = TransformationOrder::Codes;

enum class Verdict { possible, impossible, open };

// Looks for a combination of values that the class holds.
class Search {
 public:
  Search(const TransformationOrder& order, const std::vector<Codes>& kinds, const RefinedClass& cells)
      : order_(order), cells_(cells) {
    for (std::size_t i = 0; i < cells.values.size(); ++i) {
      auto& one_of_kind = choices_.emplace_back();
      Codes seen;
      for (const auto code : cells.values[i]) {
        if (std::ranges::find(seen, kinds[i][code]) != seen.end()) continue;
        seen.push_back(kinds[i][code]);
        one_of_kind.push_back(code);
      }
    }
  }

  [[nodiscard]] const Codes& choices(std::size_t column) const { return choices_[column]; }

  // With this value in the column.
  [[nodiscard]] Verdict verdict(std::size_t column, engine::Code code) const {
    const std::uint64_t combinations = combinations_without(column);
    const std::uint64_t tries = std::min(combinations, kMostCombinations);
    for (std::uint64_t i = 0; i < tries; ++i) {
      // A prime above kMostCombinations: each combination comes once, and neighbors are far from each other.
      constexpr std::uint64_t kStride = 2'654'435'761;
      if (is_in_class(column, code, i * kStride % combinations)) return Verdict::possible;
    }
    return tries == combinations ? Verdict::impossible : Verdict::open;
  }

 private:
  // At most 2^30, which is above kMostCombinations.
  [[nodiscard]] std::uint64_t combinations_without(std::size_t column) const {
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (i != column) product = std::min<std::uint64_t>(product * choices_[i].size(), 1U << 30U);
    }
    return product;
  }

  [[nodiscard]] bool is_in_class(std::size_t column, engine::Code code, std::uint64_t combination) const {
    Codes raw;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (i == column) {
        raw.push_back(code);
        continue;
      }
      raw.push_back(choices_[i][combination % choices_[i].size()]);
      combination /= choices_[i].size();
    }
    const auto found = order_.class_of(raw);
    return found ? *found == cells_.number : cells_.holds_suppressed;
  }

  const TransformationOrder& order_;
  const RefinedClass& cells_;
  std::vector<Codes> choices_;  // by column: one code of each kind
};

void check_claim(const RefinedClass& cells, std::size_t column, engine::Code only, RefinedColumn& out) {
  for (const Codes& row : cells.rows) ++(row[column] == only ? out.learnt : out.wrong);
}

}  // namespace

void refine(const TransformationOrder& order, const std::vector<Codes>& kinds, const RefinedClass& cells,
            Refinement& out) {
  const Search search(order, kinds, cells);
  for (std::size_t i = 0; i < cells.values.size(); ++i) {
    if (cells.values[i].size() < 2) continue;
    Codes possible;
    for (const auto choice : search.choices(i)) {
      const auto verdict = search.verdict(i, choice);
      for (const auto code : cells.values[i]) {
        if (kinds[i][code] != kinds[i][choice]) continue;
        if (verdict != Verdict::impossible) possible.push_back(code);
        if (verdict == Verdict::open) ++out.open;
      }
    }
    RefinedColumn& column = out.columns[i];
    column.generalized += cells.rows.size();
    if (possible.size() < cells.values[i].size()) column.narrowed += cells.rows.size();
    if (possible.size() == 1) check_claim(cells, i, possible.front(), column);
  }
}

}  // namespace pgveil::app
