#include "policy/utility/cell_bound.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

#include "naive.hpp"
#include "policy/tree/disclosure.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

// Per row every set of its values, and who else has all of them.
std::uint64_t naive_bound(const Table& table, std::uint64_t k) {
  std::uint64_t cells = 0;
  for (const Row& row : table.rows) {
    int most = 0;
    for (unsigned set = 0; set < 1U << table.attributes.size(); ++set) {
      const auto has_all = [&](const Row& other) {
        for (std::size_t a = 0; a < row.values.size(); ++a) {
          if ((set >> a & 1) != 0 && (!row.values[a] || other.values[a] != row.values[a])) return false;
        }
        return true;
      };
      std::vector<const Row*> sharing;
      for (const Row& other : table.rows) {
        if (has_all(other)) sharing.push_back(&other);
      }
      if (units_in(table, sharing) >= k) most = std::max(most, std::popcount(set));
    }
    cells += static_cast<std::uint64_t>(most);
  }
  return cells;
}

Counts wide_counts(std::size_t attribute_count, std::size_t entry_count) {
  Counts counts;
  for (std::size_t a = 0; a < attribute_count; ++a) {
    counts.attributes.push_back({"a" + std::to_string(a), static_cast<int>(a + 1), {}});
    for (std::size_t i = 0; i < entry_count; ++i) counts.attributes[a].values.push_back(std::to_string(i));
    counts.codes.emplace_back();
    for (std::size_t i = 0; i < entry_count; ++i) counts.codes[a].push_back(static_cast<Code>(i + 1));
  }
  counts.rows.assign(entry_count, 1);
  return counts;
}

}  // namespace

TEST_CASE("the bound of cells is what each row's largest shared set has, and no tree shows more") {
  std::mt19937_64 random(711);
  int reached = 0;
  int missed = 0;
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const RandomShape shape{.max_rows = 30, .max_attributes = 3, .has_units = i % 3 == 0};
    const Table table = i % 2 == 0 ? random_leveled_table(random, {.max_rows = 25, .max_attributes = 1})
                                   : random_table(random, shape);
    const std::uint64_t k = 2 + random() % 3;
    const auto bound = cell_bound(count(table, random()), k);
    REQUIRE(bound.has_value());
    CHECK(*bound == naive_bound(table, k));
    const auto tree = build_tree(count(table), k, {});
    if (!tree) continue;
    const auto disclosed = measure(*tree, count(table)).disclosed;
    CHECK(disclosed <= *bound);
    (disclosed == *bound ? reached : missed) += 1;
  }
  CHECK(reached > 20);
  CHECK(missed > 50);
}

TEST_CASE("the bound of cells is not looked for beyond the limit of work") {
  // 2^20 sets of 2^11 entries are the limit itself; nothing is shared there, so the search ends at once.
  CHECK(cell_bound(wide_counts(20, 2048), 2) == 0);
  CHECK(cell_bound(wide_counts(20, 2049), 2) == std::nullopt);
  CHECK(cell_bound(wide_counts(21, 2048), 2) == std::nullopt);
}

TEST_CASE("a table of fewer than k units has nothing that could be shown") {
  const Table table{{"a"}, false, {{{"x"}}, {{"x"}}}};
  CHECK(cell_bound(count(table), 2) == 2);
  CHECK(cell_bound(count(table), 3) == 0);
}

}  // namespace pgveil::policy::testing
