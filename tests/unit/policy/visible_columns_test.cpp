#include "policy/decision/visible_columns.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "rows.hpp"

namespace pgveil::policy::testing {
namespace {

// The last attribute is the visible column; the tree knows the others.
Counts without_last(Counts counts) {
  counts.attributes.pop_back();
  counts.codes.pop_back();
  return counts;
}
int last_number(const Counts& counts) {
  return counts.attributes.back().number;
}

bool operator==(const VisibleColumn& a, const VisibleColumn& b) {
  return a.rows == b.rows && a.unique_rows == b.unique_rows && a.hidden_cells == b.hidden_cells &&
         a.determined_cells == b.determined_cells;
}

// Row by row, by what each row shows; a cohort is a set of rows that show the same.
VisibleColumn naive(const DisclosureTree& tree, const Table& table) {
  const auto part = [](Row row) {
    row.values.pop_back();
    return row;
  };
  // Two rows are of two persons when their units differ, or when there are no units.
  const auto others = [&](const Row& row, std::size_t at, auto is_like) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const Row& other = table.rows[i];
      const bool is_other = table.has_units ? other.unit != row.unit : i != at;
      if (is_other && is_like(other)) return true;
    }
    return false;
  };
  VisibleColumn out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    const Text& value = row.values.back();
    const auto shows = shown(tree, part(row));
    ++out.rows;
    const auto has_value = [&](const Row& other) { return other.values.back() == value; };
    const auto is_beside = [&](const Row& other) {
      return has_value(other) && shown(tree, part(other)) == shows;
    };
    if (value && !others(row, i, is_beside)) ++out.unique_rows;
    for (std::size_t a = 0; a < shows.size(); ++a) {
      if (shows[a] || !row.values[a]) continue;
      ++out.hidden_cells;
      if (!value || !others(row, i, has_value)) continue;
      bool agree = true;
      for (const Row& other : table.rows)
        agree = agree && (!has_value(other) || other.values[a] == row.values[a]);
      if (agree) ++out.determined_cells;
    }
  }
  return out;
}

TEST_CASE("a column that is unique per row tells rows apart, and determines nothing by itself") {
  Table table{{"city", "invoice"}, false, {}};
  for (int i = 0; i < 6; ++i) table.rows.push_back({{i < 3 ? "A" : "B", "n" + std::to_string(i)}});
  const Counts counts = count(table);
  const auto tree = build_tree(without_last(counts), 4, kGreedy).value();  // one cohort
  const auto column = measure_visible(tree, counts, last_number(counts));
  CHECK(column.rows == 6);
  CHECK(column.unique_rows == 6);
  CHECK(column.hidden_cells == 6);
  CHECK(column.determined_cells == 0);
  CHECK(rows_alone_in(counts, last_number(counts)) == 6);
  CHECK(rows_alone_in(counts, counts.attributes[0].number) == 0);
}

TEST_CASE("a post code determines the city it lies in") {
  Table table{{"city", "post_code"}, false, {}};
  for (int i = 0; i < 6; ++i) table.rows.push_back({{i < 3 ? "A" : "B", i < 3 ? "1" : "2"}});
  const Counts counts = count(table);
  const auto tree = build_tree(without_last(counts), 4, kGreedy).value();
  const auto column = measure_visible(tree, counts, last_number(counts));
  CHECK(column.unique_rows == 0);
  CHECK(column.determined_cells == 6);
  table.rows[0].values[0] = std::nullopt;  // no longer all alike
  const Counts broken = count(table);
  CHECK(measure_visible(build_tree(without_last(broken), 4, kGreedy).value(), broken, last_number(broken))
            .determined_cells == 3);
}

TEST_CASE("rows of one unit are one person") {
  Table table{{"city", "card"}, true, {}};
  table.rows = {{{"A", "x"}, "p1"}, {{"A", "x"}, "p1"}, {{"A", "y"}, "p2"}, {{"A", "y"}, "p3"}};
  const Counts counts = count(table);
  const auto tree = build_tree(without_last(counts), 3, kGreedy).value();
  CHECK(measure_visible(tree, counts, last_number(counts)).unique_rows == 2);
}

TEST_CASE("visible columns agree with a count row by row") {
  for (const bool has_units : {false, true}) {
    std::mt19937_64 random(5);
    int with_unique = 0;
    int with_determined = 0;
    for (int i = 0; i < 500; ++i) {
      CAPTURE(i);
      Table table = random_table(random, {.max_rows = 25, .has_units = has_units});
      if (table.attributes.size() < 2) continue;
      for (std::size_t r = 0; r < table.rows.size();
           ++r) {  // NULL units are one stranger each, which naive can't say
        if (has_units && !table.rows[r].unit) table.rows[r].unit = "u" + std::to_string(r);
      }
      const Counts counts = count(table, static_cast<std::uint64_t>(i));
      const auto tree = build_tree(without_last(counts), 2, kGreedy);
      if (!tree) continue;
      const auto column = measure_visible(*tree, counts, last_number(counts));
      CHECK((column == naive(*tree, table)));
      with_unique += column.unique_rows > 0 ? 1 : 0;
      with_determined += column.determined_cells > 0 ? 1 : 0;
    }
    CHECK(with_unique > 20);
    CHECK(with_determined > 5);
  }
}

}  // namespace
}  // namespace pgveil::policy::testing
