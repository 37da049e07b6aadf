// Risks of tables, by hand.
#include "engine/risk/class_sizes.hpp"
#include "engine/risk/identifying_sets.hpp"
#include "tables.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

// Classes of (city, age): a 1 three times, a 2 twice, b 1 once.
Table six_people() {
  return value_of(read_table("city;age;name\na;1;n\na;1;o\na;1;p\na;2;q\na;2;r\nb;1;s\n", ';'));
}

}  // namespace

TEST_CASE("risks of three, two and one of six") {
  const auto figures = value_of(measure_risk(six_people(), {"city", "age"}, 0.4));
  CHECK(figures.rows == 6);
  CHECK(figures.classes == 3);
  CHECK(figures.smallest == 1);
  CHECK(figures.largest == 3);
  CHECK(figures.unique_rows == 1);
  CHECK(figures.histogram == SizeHistogram{{1, 1}, {2, 1}, {3, 1}});
  CHECK(figures.prosecutor.highest == 1);
  CHECK(figures.prosecutor.mean == doctest::Approx(0.5));     // 3 classes of 6 records
  CHECK(figures.prosecutor.at_risk == doctest::Approx(0.5));  // ½ and 1 are above 0.4, of 3 records
  CHECK(figures.marketer == doctest::Approx(0.5));
  CHECK_FALSE(figures.journalist);
}

TEST_CASE("a risk equal to the threshold is not above it") {
  CHECK(value_of(measure_risk(six_people(), {"city", "age"}, 1.0 / 3)).prosecutor.at_risk ==
        doctest::Approx(0.5));
  CHECK(value_of(measure_risk(six_people(), {"city", "age"}, 0.5)).prosecutor.at_risk ==
        doctest::Approx(1.0 / 6));
  CHECK(value_of(measure_risk(six_people(), {"city", "age"}, 1)).prosecutor.at_risk == 0);
}

TEST_CASE("a journalist knows the population, whose classes are larger") {
  // a 1 ten times, a 2 four times, b 1 not at all.
  std::string text = "age;city\n";
  for (int i = 0; i < 10; ++i) text += "1;a\n";
  for (int i = 0; i < 4; ++i) text += "2;a\n";
  const auto population = value_of(read_table(text, ';'));
  const auto figures = value_of(measure_risk(six_people(), {"city", "age"}, 0.2, &population));
  REQUIRE(figures.journalist);
  CHECK(figures.journalist->highest == 1);
  CHECK(figures.journalist->mean == doctest::Approx((3 * 0.1 + 2 * 0.25 + 1) / 6));
  CHECK(figures.journalist->at_risk == doctest::Approx(0.5));
  CHECK(figures.not_in_population == 1);
  CHECK(figures.unique_in_population == 0);
  CHECK(figures.marketer == figures.journalist->mean);
}

TEST_CASE("columns that identify stand first") {
  const auto sets = value_of(identifying_sets(six_people(), {"city", "age", "name"}, 2));
  REQUIRE(sets.size() == 6);
  CHECK(sets[0].columns == std::vector<std::string>{"name"});
  CHECK(sets[0].distinction == 1);
  CHECK(sets[0].separation == 1);
  CHECK(sets[1].columns == std::vector<std::string>{"city", "name"});
  CHECK(sets[3].columns == std::vector<std::string>{"city", "age"});
  CHECK(sets[3].distinction == doctest::Approx(0.5));
  CHECK(sets[3].separation == doctest::Approx(1 - (3 * 2 + 2 * 1) / 30.0));
  CHECK(sets[3].unique_share == doctest::Approx(1 / 6.0));
  CHECK(sets[0].is_minimal_key);
  CHECK_FALSE(sets[1].is_minimal_key);  // name alone is enough
  CHECK_FALSE(sets[3].is_minimal_key);
}

TEST_CASE("two columns that are a key together, and neither alone") {
  const auto table = value_of(read_table("a;b;c\n1;1;x\n1;2;x\n2;1;x\n2;2;x\n", ';'));
  const auto sets = value_of(identifying_sets(table, {"c", "b", "a"}, 3));
  REQUIRE(sets.size() == 7);
  CHECK(sets[0].columns == std::vector<std::string>{"b", "a"});
  CHECK(sets[0].is_minimal_key);
  CHECK(sets[1].columns == std::vector<std::string>{"c", "b", "a"});
  CHECK_FALSE(sets[1].is_minimal_key);
  CHECK(sets.back().columns == std::vector<std::string>{"c"});
  CHECK(sets.back().separation == 0);
}

TEST_CASE("sets are measured alike by table and by hash, and with equal rows merged") {
  std::string text = "a;b\n";
  for (int i = 0; i < 6000; ++i) text += std::to_string(i % 3000) + ";" + std::to_string(i % 2000) + "\n";
  const auto sets = value_of(identifying_sets(value_of(read_table(text, ';')), {"a", "b"}, 2));
  CHECK(sets[0].columns.size() == 2);  // all 6,000 differ
  CHECK(sets[0].is_minimal_key);
  CHECK(sets[1].columns == std::vector<std::string>{"a"});
  CHECK(sets[1].distinction == doctest::Approx(0.5));
  CHECK(sets[1].unique_share == 0);
}

TEST_CASE("sizes of classes tell all that the table tells") {
  const auto table = six_people();
  const auto figures = value_of(figures_of({{1, 1}, {2, 1}, {3, 1}}, 0.4));
  const auto measured = value_of(measure_risk(table, {"city", "age"}, 0.4));
  CHECK(figures.rows == measured.rows);
  CHECK(figures.unique_rows == measured.unique_rows);
  CHECK(figures.prosecutor.mean == measured.prosecutor.mean);
  CHECK(figures.prosecutor.at_risk == measured.prosecutor.at_risk);
  CHECK(figures_of({}, 0.4).has_error());
  CHECK(figures_of({{1, 1}}, 0).has_error());
  CHECK(figures_of({{1, 1}}, 1.5).has_error());
}

TEST_CASE("sets of columns, counted one by one, are ranked as those of a table") {
  const auto table = six_people();
  const std::vector<std::string> names{"city", "age", "name"};
  const auto sets = value_of(column_sets(3, 2));
  CHECK(sets == std::vector<std::vector<std::size_t>>{{0}, {0, 1}, {0, 2}, {1}, {1, 2}, {2}});
  CHECK(value_of(column_sets(3, 0)).empty());
  CHECK(value_of(column_sets(2, 9)).size() == 3);
  CHECK(column_sets(30, 9).has_error());
  std::vector<Identifying> found;
  for (const auto& set : sets) {
    std::vector<std::string> chosen;
    for (const auto i : set) chosen.push_back(names[i]);
    const auto sizes = value_of(measure_risk(table, chosen, 0.2)).histogram;
    found.push_back(identifying_of(chosen, sizes));
  }
  const auto ranked_sets = ranked(found);
  const auto expected = value_of(identifying_sets(table, names, 2));
  REQUIRE(ranked_sets.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(ranked_sets[i].columns == expected[i].columns);
    CHECK(ranked_sets[i].separation == expected[i].separation);
    CHECK(ranked_sets[i].distinction == expected[i].distinction);
    CHECK(ranked_sets[i].unique_share == expected[i].unique_share);
    CHECK(ranked_sets[i].is_minimal_key == expected[i].is_minimal_key);
  }
}

TEST_CASE("what can't be measured is refused, with what to do") {
  const auto refused = [](const auto& result) { return result.has_error() && !result.error().hint.empty(); };
  const auto table = six_people();
  CHECK(refused(measure_risk(table, {}, 0.2)));
  CHECK(refused(measure_risk(table, {"town"}, 0.2)));
  CHECK(refused(measure_risk(table, {"city", "city"}, 0.2)));
  CHECK(refused(measure_risk(table, {"city"}, 0)));
  CHECK(refused(measure_risk(table, {"city"}, 1.1)));
  CHECK(refused(measure_risk(value_of(read_table("city\n", ';')), {"city"}, 0.2)));
  const auto other = value_of(read_table("town\nx\n", ';'));
  CHECK(refused(measure_risk(table, {"city"}, 0.2, &other)));
  std::string header, row;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) {
    names.push_back("c" + std::to_string(i));
    header += (i > 0 ? ";" : "") + names.back();
    row += i > 0 ? ";x" : "x";
  }
  const auto wide = value_of(read_table(header + "\n" + row + "\n", ';'));
  CHECK(refused(identifying_sets(wide, names, 40)));
  CHECK_FALSE(identifying_sets(wide, names, 2).has_error());
}
