#include "jobs/check/refinement.hpp"

#include <algorithm>
#include <utility>

#include "jobs/check/unshown_cells.hpp"

namespace pgveil::app {
namespace {

using Codes = TransformationOrder::Codes;

// Classes of at most so many combinations are listed, so that their sizes can be used.
constexpr std::uint64_t kMostListed = 256;

bool is_shown_by(const TransformationOrder& order, const Codes& raw, const RefinedClass& cells) {
  const auto found = order.place_of(raw);
  return found ? found->class_number == cells.number : cells.holds_suppressed;
}

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

  // All that the class holds; open: they are more than kMostListed.
  [[nodiscard]] OpenClass listed() const {
    OpenClass made{cells_.records, {}, combinations_without(choices_.size()) > kMostListed};
    if (!made.is_open) list(made.combinations, {});
    return made;
  }

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
  void list(std::vector<Codes>& made, Codes begun) const {
    if (begun.size() == choices_.size()) {
      if (is_shown_by(order_, begun, cells_)) made.push_back(std::move(begun));
      return;
    }
    const auto& next = choices_[begun.size()];
    begun.push_back(0);
    for (const auto code : next) {
      begun.back() = code;
      list(made, begun);
    }
  }

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
    return is_shown_by(order_, raw, cells_);
  }

  const TransformationOrder& order_;
  const RefinedClass& cells_;
  std::vector<Codes> choices_;  // by column: one code of each kind
};

void check_claim(const RefinedClass& cells, std::size_t column, engine::Code only, RefinedColumn& out) {
  for (const Codes& row : cells.rows) ++(row[column] == only ? out.learnt : out.wrong);
}

Verdict verdict_of(const OpenClass& listed, std::size_t column, engine::Code choice) {
  const bool is_possible =
      std::ranges::any_of(listed.combinations, [&](const Codes& it) { return it[column] == choice; });
  return is_possible ? Verdict::possible : Verdict::impossible;
}

// Values of which the sizes tell that the class has a number of records with them.
void pin(const UnshownCells& by_sizes, const RefinedClass& cells, std::size_t place, std::size_t column,
         const Codes& possible, RefinedColumn& out) {
  for (const auto& [value, least] : by_sizes.least_of(place, column)) {
    if (std::ranges::find(possible, value) == possible.end()) continue;
    const auto found = static_cast<std::uint64_t>(
        std::ranges::count_if(cells.rows, [&](const Codes& row) { return row[column] == value; }));
    out.pinned += least;
    out.pinned_true += std::min(least, found);
  }
}

// place: of the class in by_sizes, which is null if the sizes tell nothing of this class.
void refine_class(const std::vector<Codes>& kinds, const RefinedClass& cells, const Search& search,
                  const UnshownCells* by_sizes, std::size_t place, Refinement& out) {
  for (std::size_t i = 0; i < cells.values.size(); ++i) {
    if (cells.values[i].size() < 2) continue;
    Codes possible, alone;  // alone: no other value of the cell is of its kind
    for (const auto choice : search.choices(i)) {
      const auto verdict =
          by_sizes != nullptr ? verdict_of(by_sizes->class_at(place), i, choice) : search.verdict(i, choice);
      std::size_t of_kind = 0;
      for (const auto code : cells.values[i]) {
        if (kinds[i][code] != kinds[i][choice]) continue;
        ++of_kind;
        if (verdict != Verdict::impossible) possible.push_back(code);
        if (verdict == Verdict::open) ++out.open;
      }
      if (of_kind == 1 && verdict == Verdict::possible) alone.push_back(choice);
    }
    RefinedColumn& column = out.columns[i];
    column.generalized += cells.rows.size();
    if (possible.size() < cells.values[i].size()) column.narrowed += cells.rows.size();
    if (possible.size() == 1) check_claim(cells, i, possible.front(), column);
    if (possible.size() > 1 && by_sizes != nullptr) pin(*by_sizes, cells, place, i, alone, column);
  }
}

}  // namespace

Refinement refine(const TransformationOrder& order, const std::vector<std::string>& names,
                  const std::vector<RefinedClass>& classes, std::optional<std::uint64_t> k) {
  Refinement made;
  made.uses_sizes = k.has_value();
  std::vector<Codes> kinds, fine_kinds;
  for (const auto& name : names) {
    kinds.push_back(order.kinds_of(made.columns.size()));
    fine_kinds.push_back(order.fine_kinds_of(made.columns.size()));
    made.columns.push_back({name});
  }
  // Sizes need to know the cells that are not shown. There are fewer kinds, and so fewer combinations to try,
  // if these count as one.
  std::optional<UnshownCells> by_sizes;
  if (k) {
    std::vector<OpenClass> listed;
    for (const auto& cells : classes) listed.push_back(Search(order, fine_kinds, cells).listed());
    by_sizes.emplace(order, *k, std::move(listed));
  }
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool is_by_sizes = by_sizes && !by_sizes->class_at(c).is_open;
    const auto& of_class = is_by_sizes ? fine_kinds : kinds;
    const Search search(order, of_class, classes[c]);
    refine_class(of_class, classes[c], search, is_by_sizes ? &*by_sizes : nullptr, c, made);
  }
  return made;
}

}  // namespace pgveil::app
