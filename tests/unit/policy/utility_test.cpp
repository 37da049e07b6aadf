#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "policy/tree/disclosure.hpp"
#include "policy/utility/cell_bound.hpp"
#include "policy/utility/utility.hpp"
#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

using Asked = std::vector<std::uint32_t>;

std::vector<Asked> asked_in(const std::vector<AnswerError>& errors) {
  std::vector<Asked> questions;
  for (const AnswerError& error : errors) questions.push_back(error.attributes);
  return questions;
}

Utility utility_of(const Table& table, const std::vector<Question>& workload = {}) {
  const Counts counts = count(table);
  return measure_utility(build_tree(counts, 2, kGreedy).value(), counts, {.workload = workload});
}

// Columns named a0, a1 …, in which all rows have one of two values.
Table table_of_width(std::size_t width) {
  Table table;
  for (std::size_t a = 0; a < width; ++a) table.attributes.push_back(fmt::format("a{}", a));
  for (const char* value : {"x", "x", "y", "y"}) table.rows.push_back({std::vector<Text>(width, value)});
  return table;
}

}  // namespace

// docs/utility.md spells the same figures out.
TEST_CASE("the worked example's answers are as wrong as a count by hand says") {
  const Utility utility = utility_of(worked_example(), {{{"state"}, 1}, {{"city", "state"}, 3}});
  REQUIRE(utility.columns.size() == 3);
  CHECK(utility.columns[0] == AnswerError{{0}, 3, 2, 11, 5, 466'667, 1'000'000, 3, 2});
  CHECK(utility.columns[1] == AnswerError{{1}, 7, 1, 11, 4, 857'143, 1'000'000, 7, 1});
  CHECK(utility.columns[2] == AnswerError{{2}, 5, 1, 11, 6, 800'000, 1'000'000, 5, 1});
  CHECK(asked_in(utility.pairs) == std::vector<Asked>{{0, 1}, {0, 2}, {1, 2}});
  CHECK(utility.pairs[0] == AnswerError{{0, 1}, 9, 1, 11, 2, 888'889, 1'000'000, 9, 1});
  CHECK(asked_in(utility.declared) == std::vector<Asked>{{2}, {1, 2}});
  CHECK(utility.declared[1] == AnswerError{{1, 2}, 7, 1, 11, 4, 857'143, 1'000'000, 7, 1});
  CHECK(utility.most_cells == 23);
  CHECK(mean_column_error_ppm(utility) == 707'937);
  REQUIRE(least_shown(utility) != nullptr);
  CHECK(least_shown(utility)->attributes == Asked{1});
}

TEST_CASE("a priority declares each of its columns as a question") {
  const Counts counts = count(worked_example());
  const DisclosureTree tree = build_tree(counts, 2, kGreedy).value();
  const Utility utility = measure_utility(tree, counts, {.priority = {"state", "occupation"}});
  CHECK(utility.declared == std::vector<AnswerError>{utility.columns[2], utility.columns[0]});
}

TEST_CASE("the order of rows and the numbering of values change no figure") {
  const DisclosureTree tree = build_tree(count(worked_example()), 2, kGreedy).value();
  const Utility utility = measure_utility(tree, count(worked_example()), {});
  for (std::uint64_t seed = 1; seed < 20; ++seed)
    CHECK(measure_utility(tree, count(worked_example(), seed), {}) == utility);
}

TEST_CASE("the shares of rows shown are those of the disclosure, and no answer beats the bound") {
  std::mt19937_64 random(7);
  int built = 0;
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const Table table = random_table(random, {.has_units = i % 2 == 1});
    const Counts counts = count(table);
    const auto tree = build_tree(counts, 2, {});
    if (!tree) continue;
    ++built;
    const Disclosure disclosure = measure(*tree, counts);
    const Utility utility = measure_utility(*tree, counts, {});
    for (std::size_t a = 0; a < tree->attributes.size(); ++a)
      CHECK(utility.columns[a].rows_shown == disclosure.disclosed_by_attribute[a]);
    REQUIRE(utility.most_cells.has_value());
    CHECK(disclosure.disclosed <= *utility.most_cells);
    for (const AnswerError& pair : utility.pairs) {
      for (const std::uint32_t a : pair.attributes)
        CHECK(pair.rows_shown <= utility.columns[a].rows_shown);
    }
  }
  CHECK(built > 100);
}

TEST_CASE("a table without a value has nothing to be measured") {
  const Utility utility =
      utility_of({{"city"}, false, {{{std::nullopt}}, {{std::nullopt}}, {{std::nullopt}}}});
  CHECK(utility.columns == std::vector<AnswerError>{{.attributes = {0}}});
  CHECK(!mean_column_error_ppm(utility));
  CHECK(least_shown(utility) == nullptr);
}

TEST_CASE("answers have become worse where clearly more rows are missing than at the build") {
  const auto utility_with = [](std::uint64_t city, std::uint64_t both) {
    return Utility{.most_cells = {},
                   .columns = {{.attributes = {0}, .rows = 100, .rows_shown = city},
                               {.attributes = {1}, .rows = 0, .rows_shown = 0}},
                   .pairs = {},
                   .declared = {{.attributes = {0}, .rows = 100, .rows_shown = city},
                                {.attributes = {0, 1}, .rows = 100, .rows_shown = both}},
                   .implied = {}};
  };
  const Utility built = utility_with(90, 50);
  CHECK(worsened(built, built).empty());
  CHECK(worsened(built, utility_with(81, 41)).empty());
  CHECK(worsened(built, utility_with(95, 70)).empty());
  CHECK(worsened(built, utility_with(80, 50)) == std::vector<Worsened>{{{0}, 100'000, 200'000}});
  CHECK(worsened(built, utility_with(90, 40)) == std::vector<Worsened>{{{0, 1}, 500'000, 600'000}});
}

TEST_CASE("of twelve columns all pairs are measured, of thirteen not the last ones") {
  CHECK(utility_of(table_of_width(12)).pairs.size() == kMostPairs);
  const auto pairs = asked_in(utility_of(table_of_width(13)).pairs);
  CHECK(pairs.size() == kMostPairs);
  CHECK(std::ranges::is_sorted(pairs));
  CHECK(std::ranges::none_of(pairs, [](const Asked& pair) { return pair[1] == 12; }));
}

TEST_CASE("pairs of columns that the workload names come first") {
  const auto pairs = asked_in(utility_of(table_of_width(13), {{{"a12"}, 1}, {{"a3"}, 1}}).pairs);
  CHECK(pairs.size() == kMostPairs);
  CHECK(std::ranges::count_if(pairs, [](const Asked& pair) { return pair[1] == 12; }) == 11);
  CHECK(std::ranges::find(pairs, Asked{3, 12}) != pairs.end());
  CHECK(std::ranges::find(pairs, Asked{3, 11}) == pairs.end());
}

TEST_CASE("a column and its own level are no pair, and neither follows from the other") {
  Table table{{"age", "tens", "sex"}, false, {}};
  table.levels = {std::nullopt, Level{"age", 2, 1, LevelShows::label, Bins{10 * kScale, 0}}, std::nullopt};
  for (const auto& [age, tens, sex] : std::vector<std::array<const char*, 3>>{
           {"31", "[30,40)", "f"}, {"31", "[30,40)", "m"}, {"45", "[40,50)", "f"}, {"45", "[40,50)", "m"}})
    table.rows.push_back({{age, tens, sex}});
  const Utility utility = utility_of(table);
  CHECK(asked_in(utility.pairs) == std::vector<Asked>{{0, 2}, {1, 2}});
  CHECK(utility.implied.empty());
}

TEST_CASE("a column that follows from another is found, and the coarsest that it follows from is named") {
  Table table{{"zip", "city", "country"}, false, {}};
  for (const auto& [zip, city, country] : std::vector<std::array<const char*, 3>>{
           {"1", "Ulm", "D"}, {"1", "Ulm", "D"}, {"2", "Ulm", "D"}, {"2", "Ulm", "D"}, {"3", "Linz", "A"},
           {"3", "Linz", "A"}, {"4", "Kiel", "D"}, {"4", "Kiel", "D"}})
    table.rows.push_back({{zip, city, country}});
  table.rows.push_back({{std::nullopt, "Ulm", "A"}});  // but no: one row is enough
  CHECK(implied_columns(count(table), 2) ==
        std::vector<ImpliedColumn>{{1, 0}, {2, 0}});
  table.rows.back().values[2] = std::nullopt;  // NULL is no other country
  CHECK(implied_columns(count(table), 2) == std::vector<ImpliedColumn>{{1, 0}, {2, 1}});
}

TEST_CASE("chance implies nothing: constants, keys and columns of fewer values") {
  Table table{{"id", "one", "city"}, false, {}};
  for (int i = 0; i < 8; ++i)
    table.rows.push_back({{std::to_string(i), "same", i < 4 ? "Ulm" : "Kiel"}});
  CHECK(implied_columns(count(table), 2).empty());
  // With k = 1 every row is a crowd, so the number is no key any more.
  CHECK(implied_columns(count(table), 1) == std::vector<ImpliedColumn>{{2, 0}});
}

}  // namespace pgveil::policy::testing
