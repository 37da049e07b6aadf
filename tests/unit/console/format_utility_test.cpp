#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "console/format_utility.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::console {
namespace {

using Row = std::vector<std::optional<std::string>>;
using Rows = std::vector<Row>;
using policy::Level;

// Of 1,000 people: cities well, birth dates not at all; each city is in one country.
policy::PolicyVersion clinic() {
  policy::PolicyVersion version;
  version.tree.k = 5;
  version.tree.attributes = {{"city", 1}, {"country", 2}, {"birth date", 3}};
  version.tree.nodes = {{std::nullopt, 0, 0, 1000, 1000}};
  version.shape.columns = {{1, "city", 25}, {2, "country", 25}, {3, "birth date", 1082}};
  version.disclosure.rows = 1000;
  version.disclosure.disclosed_by_attribute = {525, 1000, 0};
  version.disclosure.cells = 3000;
  version.disclosure.disclosed = 1520;
  version.utility = policy::Utility{.most_cells = 2000,
                                    .columns = {{{0}, 120, 91, 990, 520, 31'000, 250'000, 10, 9},
                                                {{1}, 4, 4, 1000, 1000, 0, 0, 4, 4},
                                                {{2}, 900, 0, 1000, 0, 1'000'000, 1'000'000, 10, 0}},
                                    .pairs = {{{0, 1}, 120, 91, 990, 520, 31'000, 250'000, 10, 9}},
                                    .declared = {{{0}, 120, 91, 990, 520, 31'000, 250'000, 10, 9}},
                                    .implied = {{1, 0}}};
  return version;
}

bool has_line(const std::vector<std::string>& lines, const std::string& line) {
  return std::ranges::find(lines, line) != lines.end();
}

}  // namespace

TEST_CASE("SHOW UTILITY has a row per column, pair and declared question") {
  const auto table = utility_table(clinic());
  CHECK(table.rows == Rows{{"column", "city", "52.5%", "120", "91", "3.1%", "25.0%", "9 of 10"},
                           {"column", "country", "100.0%", "4", "4", "0.0%", "0.0%", "4 of 4"},
                           {"column", "\"birth date\"", "0.0%", "900", "0", "100.0%", "100.0%", "0 of 10"},
                           {"pair", "city, country", "52.5%", "120", "91", "3.1%", "25.0%", "9 of 10"},
                           {"workload", "city", "52.5%", "120", "91", "3.1%", "25.0%", "9 of 10"}});
  for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
}

TEST_CASE("after a build the owner reads what readers will see, in words") {
  CHECK(utility_lines(clinic()) ==
        std::vector<std::string>{
            "city: 52.5% of rows shown, 91 of 120 values, counts 3.1% too low on average",
            "country: 100.0% of rows shown, 4 of 4 values, counts 0.0% too low on average",
            "asked for: city: 52.5% of rows shown, 91 of 120 values, counts 3.1% too low on average",
            "\"birth date\" is never shown: 0% of rows; add generalize with a level of period year or decade",
            "country follows from city: each value of city has one of country, so who sees city knows "
            "country"});
}

TEST_CASE("what would help a column that is never shown depends on its type") {
  for (const auto& [type, words] :
       std::vector<std::pair<std::uint32_t, std::string>>{{1184, "period year or decade"},
                                                          {1700, "some width"},
                                                          {23, "some width"},
                                                          {1043, "by prefix"},
                                                          {2950, "its type has no levels"}}) {  // uuid
    CAPTURE(type);
    auto version = clinic();
    version.shape.columns[2].type_oid = type;
    CHECK(utility_hints(version).front().find(words) != std::string::npos);
  }
}

TEST_CASE("a column whose level is shown is not told to get one") {
  auto version = clinic();
  version.tree.attributes.push_back(
      {"birth_year", 4, Level{"birth date", 3, 1, policy::LevelShows::label, policy::Period::year}});
  version.utility->columns.push_back({{3}, 90, 88, 1000, 970, 20'000, 90'000, 10, 10});
  CHECK(
      has_line(utility_hints(version), "\"birth date\" is never shown: 0% of rows; birth_year is in 97.0%"));
  version.utility->columns.back().rows_shown = 4;
  CHECK(has_line(utility_hints(version),
                 "\"birth date\" is never shown: 0% of rows; its levels are not either: add a coarser one"));
  CHECK(std::ranges::count_if(utility_hints(version), [](const std::string& line) {
          return line.find("shown") != std::string::npos;
        }) == 1);
}

TEST_CASE("a column that is never shown because it follows from another needs no level") {
  auto version = clinic();
  version.utility->columns[1].rows_shown = 0;
  CHECK(has_line(utility_hints(version),
                 "country is never shown: 0% of rows; it follows from city: who sees city knows it"));
  CHECK_FALSE(
      has_line(utility_hints(version),
               "country follows from city: each value of city has one of country, so who sees city knows "
               "country"));
}

TEST_CASE("after a build the columns that the policy does not list are named") {
  const auto version = clinic();
  policy::PolicySpec spec;
  for (const char* name : {"city", "country", "birth date"}) {
    policy::ColumnRule rule;
    rule.name = name;
    spec.columns.push_back(rule);
  }
  CHECK(build_lines(spec, version) == utility_lines(version));
  spec.columns.erase(spec.columns.begin());
  CHECK(build_lines(spec, version).back() == "1 column is not listed and always NULL: city");
  auto wide = version;
  for (int number = 10; number < 16; ++number)
    wide.shape.columns.push_back({number, "c" + std::to_string(number)});
  CHECK(build_lines(spec, wide).back() ==
        "7 columns are not listed and always NULL: city, c10, c11, c12, c13 and 2 more");
}

TEST_CASE("what rounds to nothing is hardly ever shown, and what does not is no matter") {
  auto version = clinic();
  version.utility->columns[2].rows_shown = 4;
  CHECK(utility_hints(version).front().find("\"birth date\" is hardly ever shown: 0% of rows") == 0);
  version.utility->columns[2].rows_shown = 5;
  CHECK(utility_hints(version).size() == 1);
}

TEST_CASE("a column that is NULL everywhere is neither right nor wrong") {
  auto version = clinic();
  version.utility->columns[2] = {.attributes = {2}};
  CHECK(utility_table(version).rows[2] == Row{"column", "\"birth date\"", std::nullopt, std::nullopt,
                                              std::nullopt, std::nullopt, std::nullopt, std::nullopt});
  CHECK(has_line(utility_lines(version), "\"birth date\": NULL in every row"));
}

TEST_CASE("a version from before answers were measured says so") {
  auto version = clinic();
  version.utility.reset();
  CHECK(utility_table(version).rows.empty());
  CHECK(utility_table(version).notices.front().find("not measured") == 0);
  CHECK(utility_lines(version).front().find("not measured") == 0);
  CHECK(utility_cells(version.tree, version.disclosure, version.utility) ==
        Row{std::nullopt, std::nullopt, std::nullopt});
  CHECK(bound_text(version.utility, version.disclosure).empty());
}

TEST_CASE("the bound stands beside the cells that are disclosed, where it was found") {
  auto version = clinic();
  CHECK(bound_text(version.utility, version.disclosure) ==
        ", of at most 66.7% that any suppression could show");
  version.utility->most_cells.reset();
  CHECK(bound_text(version.utility, version.disclosure).empty());
  CHECK(!utility_cells(version.tree, version.disclosure, version.utility).front());
}

TEST_CASE("stats users see shares of all rows, those without a value among them, and no error per group") {
  auto version = clinic();
  version.disclosure.disclosed_by_attribute = {525, 900, 413};
  CHECK(utility_cells(version.tree, version.disclosure, version.utility, Standing::stats) ==
        Row{std::nullopt, std::nullopt, "\"birth date\" 41%"});
  CHECK(utility_cells(version.tree, version.disclosure, version.utility, Standing::admin) ==
        Row{"66.7%", "34.4%", "\"birth date\" 0.0%"});
}

TEST_CASE("the answers of two versions stand side by side, also of columns that only one has") {
  const auto before = clinic();
  auto after = clinic();
  after.tree.attributes[1].name = "state";
  after.utility->columns[0] = {{0}, 120, 120, 990, 985, 5'000, 20'000, 10, 10};
  after.utility->declared.clear();
  CHECK(answers_table(before, after).rows ==
        Rows{{"\"birth date\"", "0.0%", "0.0%", "100.0%", "100.0%", "0 of 10", "0 of 10"},
             {"city", "52.5%", "99.5%", "3.1%", "0.5%", "9 of 10", "10 of 10"},
             {"country", "100.0%", std::nullopt, "0.0%", std::nullopt, "4 of 4", std::nullopt},
             {"state", std::nullopt, "100.0%", std::nullopt, "0.0%", std::nullopt, "4 of 4"},
             {"city, country", "52.5%", std::nullopt, "3.1%", std::nullopt, "9 of 10", std::nullopt},
             {"city, state", std::nullopt, "52.5%", std::nullopt, "3.1%", std::nullopt, "9 of 10"}});
}

}  // namespace pgveil::console
