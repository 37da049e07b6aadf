#include "policy/utility/cell_bound.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "policy/counts/counts_view.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/tree/routing.hpp"

namespace pgveil::policy {

namespace {

class BoundSearch {
 public:
  BoundSearch(const CountsView& counts, std::uint64_t k)
      : counts_(counts), k_(k), together_(released_together(tree_attributes(counts))) {
    std::map<int, std::vector<std::uint32_t>> by_column;
    present_.assign(counts.entry_count(), 0);
    for (std::uint32_t a = 0; a < counts.attribute_count(); ++a) {
      by_column[source_of(counts.attribute(a))].push_back(a);
      groups_of_code_.emplace_back(counts.attribute(a).values.size() + 1, 0);
      for (const std::uint32_t entry : counts.entries()) {
        if (counts.codes(a)[entry] != kNullCode) present_[entry] |= std::uint64_t{1} << a;
      }
    }
    for (auto& [column, attributes] : by_column) columns_.push_back(std::move(attributes));
    most_.assign(counts.entry_count(), 0);
  }

  [[nodiscard]] bool is_too_large() const {
    std::uint64_t work = std::max<std::uint64_t>(counts_.entries().size(), 1);
    for (const auto& attributes : columns_) {
      if (work > kMaxBoundWork / (attributes.size() + 1)) return true;
      work *= attributes.size() + 1;
    }
    return false;
  }

  std::uint64_t run() {
    divide(counts_.entries(), 0, 0);
    std::uint64_t cells = 0;
    for (const std::uint32_t entry : counts_.entries()) cells += most_[entry] * counts_.rows(entry);
    return cells;
  }

 private:
  // The entries agree on the attributes of `set` and have k units. As deep as there are columns.
  void divide(const std::vector<std::uint32_t>& entries, std::uint64_t set, std::size_t next_column) {
    for (const std::uint32_t entry : entries) {
      most_[entry] = std::max<std::uint64_t>(
          most_[entry], static_cast<std::uint64_t>(std::popcount(set & present_[entry])));
    }
    for (std::size_t column = next_column; column < columns_.size(); ++column) {
      for (const std::uint32_t attribute : columns_[column]) {
        for (const auto& group : groups_of(entries, attribute)) {
          if (has_k_units(group)) divide(group, set | together_[attribute], column + 1);
        }
      }
    }
  }

  // By value, without NULL; each in the order of the entries.
  std::vector<std::vector<std::uint32_t>> groups_of(const std::vector<std::uint32_t>& entries,
                                                    std::uint32_t attribute) {
    const std::vector<Code>& codes = counts_.codes(attribute);
    std::vector<std::size_t>& group_of = groups_of_code_[attribute];  // 0: none yet
    std::vector<std::vector<std::uint32_t>> groups;
    for (const std::uint32_t entry : entries) {
      const Code code = codes[entry];
      if (code == kNullCode) continue;
      if (group_of[code] == 0) {
        groups.emplace_back();
        group_of[code] = groups.size();
      }
      groups[group_of[code] - 1].push_back(entry);
    }
    for (const auto& group : groups) group_of[codes[group.front()]] = 0;
    return groups;
  }

  [[nodiscard]] bool has_k_units(const std::vector<std::uint32_t>& entries) const {
    std::uint64_t units = 0;
    Code last = kNullCode;  // entries of one unit stand next to each other
    for (const std::uint32_t entry : entries) {
      if (!counts_.has_units()) {
        units += counts_.rows(entry);
      } else if (counts_.unit(entry) != last) {
        last = counts_.unit(entry);
        ++units;
      }
      if (units >= k_) return true;
    }
    return false;
  }

  const CountsView& counts_;
  std::uint64_t k_;
  std::vector<std::uint64_t> together_;
  std::vector<std::vector<std::uint32_t>> columns_;       // per column: it and its levels
  std::vector<std::vector<std::size_t>> groups_of_code_;  // scratch per attribute and code
  std::vector<std::uint64_t> present_;                    // per entry, bit a: attribute a is not NULL
  std::vector<std::uint64_t> most_;                       // per entry
};

}  // namespace

std::optional<std::uint64_t> cell_bound(const Counts& counts, std::uint64_t k) {
  const CountsView view(counts);
  BoundSearch search(view, k);
  if (search.is_too_large()) return std::nullopt;
  return search.run();
}

}  // namespace pgveil::policy
