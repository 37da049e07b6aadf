#include "engine/data/hierarchy_builders.hpp"

#include <fmt/format.h>

#include <random>

#include "tables.hpp"

namespace pgveil::engine::hierarchy_builders_test {

using namespace pgveil::engine::test;

namespace {

using Texts = std::vector<std::string>;
using Rows = std::vector<Texts>;

Rows built(const HierarchyRule& rule, const Texts& values,
           std::optional<std::string_view> null_text = std::nullopt) {
  return value_of(build_hierarchy(rule, "c", values, null_text)).rows;
}

void check_refused(const HierarchyRule& rule, const Texts& values, std::string_view message,
                   std::string_view detail = "") {
  const auto hierarchy = build_hierarchy(rule, "c", values);
  REQUIRE(hierarchy.has_error());
  CHECK(hierarchy.error().kind == ErrorKind::configuration);
  CHECK(hierarchy.error().public_message == message);
  CHECK(hierarchy.error().private_detail == detail);
}

// What the engine asks of every hierarchy: each value has a row, each level is a function of the one before.
LevelTables levels_of(const HierarchyRule& rule, const Texts& values) {
  ColumnEncoder encoder("c");
  for (const auto& value : values) encoder.add(value);
  const auto column = std::move(encoder).finish();
  return value_of(make_level_tables(column, value_of(build_hierarchy(rule, "c", column.values))));
}

}  // namespace

TEST_CASE("intervals are half open, begin at the origin and take negative numbers") {
  CHECK(built(Intervals{"0", {"5", "10"}, {}, {}}, {"0", "4", "5", "-1", "12", "007"}) ==
        Rows{{"0", "[0, 5)", "[0, 10)", "*"},
             {"4", "[0, 5)", "[0, 10)", "*"},
             {"5", "[5, 10)", "[0, 10)", "*"},
             {"-1", "[-5, 0)", "[-10, 0)", "*"},
             {"12", "[10, 15)", "[10, 20)", "*"},
             {"007", "[5, 10)", "[0, 10)", "*"}});
  CHECK(built(Intervals{"18", {"10"}, {}, {}}, {"17", "18"}) ==
        Rows{{"17", "[8, 18)", "*"}, {"18", "[18, 28)", "*"}});
}

TEST_CASE("intervals of decimals are exact") {
  CHECK(built(Intervals{"0", {"0.1", "0.5"}, {}, {}}, {"0.3", "0.29999", "-0.05", "12"}) ==
        Rows{{"0.3", "[0.3, 0.4)", "[0, 0.5)", "*"},
             {"0.29999", "[0.2, 0.3)", "[0, 0.5)", "*"},
             {"-0.05", "[-0.1, 0)", "[-0.5, 0)", "*"},
             {"12", "[12, 12.1)", "[12, 12.5)", "*"}});
  CHECK(built(Intervals{"0", {"1"}, {}, {}}, {"999999999999999999", "0.00000000000000001"}) ==
        Rows{{"999999999999999999", "[999999999999999999, 1000000000000000000)", "*"},
             {"0.00000000000000001", "[0, 1)", "*"}});
}

TEST_CASE("intervals end at the bounds") {
  CHECK(built(Intervals{"0", {"10"}, "18", "65"}, {"17", "18", "64", "65", "99"}) ==
        Rows{{"17", "< 18", "*"},
             {"18", "[18, 20)", "*"},
             {"64", "[60, 65)", "*"},
             {"65", ">= 65", "*"},
             {"99", ">= 65", "*"}});
}

TEST_CASE("intervals name all values that are no numbers, and what is wrong with the rule") {
  check_refused(Intervals{"0", {"5"}, {}, {}}, {"1", "x", "", "1e3", "1.", ".5", "1234567890123456789"},
                "6 values of c are no numbers, but it has intervals",
                "x, , 1e3, 1., .5, 1234567890123456789");
  check_refused(Intervals{"0", {}, {}, {}}, {}, "the intervals of c have no width");
  check_refused(Intervals{"0", {"0"}, {}, {}}, {}, "the intervals of c: width 1 is not positive");
  check_refused(Intervals{"0", {"5", "-5"}, {}, {}}, {}, "the intervals of c: width 2 is not positive");
  check_refused(Intervals{"0", {"5", "12"}, {}, {}}, {},
                "the intervals of c: width 2 is no larger multiple of the one before");
  check_refused(Intervals{"0", {"5", "5.0"}, {}, {}}, {},
                "the intervals of c: width 2 is no larger multiple of the one before");
  check_refused(Intervals{"zero", {"5"}, {}, {}}, {}, "the intervals of c: zero is no number");
  check_refused(Intervals{"0", {"5"}, "9", "9"}, {}, "the intervals of c: low is not below high");
}

TEST_CASE("an order joins neighbours") {
  const Order rule{{"low", "mid", "high", "top", "max"}, {2, 2}};
  CHECK(built(rule, {"mid"}) == Rows{{"low", "low - mid", "low - top", "*"},
                                     {"mid", "low - mid", "low - top", "*"},
                                     {"high", "high - top", "low - top", "*"},
                                     {"top", "high - top", "low - top", "*"},
                                     {"max", "max", "max", "*"}});
  CHECK(built(Order{{"a", "b"}, {SIZE_MAX, SIZE_MAX}}, {"a"})[0] == Texts{"a", "a - b", "a - b", "*"});
  check_refused(rule, {"mid", "huge", "tiny"}, "the order of c lacks 2 values of the column", "huge, tiny");
  check_refused(Order{{"a", "b", "a"}, {2}}, {}, "the order of c names its entry 3 before");
  check_refused(Order{{"a"}, {1}}, {}, "the order of c has groups of 1");
}

TEST_CASE("masking replaces characters, not bytes, from the chosen side") {
  CHECK(built(Masking{KeptSide::prefix, {}}, {"81667", "82", ""}) ==
        Rows{{"81667", "8166*", "816**", "81***", "8****", "*****"},
             {"82", "82***", "82***", "82***", "8****", "*****"},
             {"", "*****", "*****", "*****", "*****", "*****"}});
  CHECK(built(Masking{KeptSide::suffix, {2}}, {"ab12", "ß7"}) ==
        Rows{{"ab12", "**12", "****"}, {"ß7", "**ß7", "****"}});
  CHECK(built(Masking{KeptSide::prefix, {1, 2, 9}}, {"ab"}) == Rows{{"ab", "a*", "**"}});
  check_refused(Masking{KeptSide::prefix, {2, 2}}, {"abc"}, "the masking of c does not rise at level 2");
  check_refused(Masking{KeptSide::prefix, {0}}, {"abc"}, "the masking of c does not rise at level 1");
  check_refused(Masking{}, {std::string(200, 'x')},
                "the hierarchy of c would have 201 levels, 127 are possible");
  CHECK(built(Masking{}, {std::string(126, 'x')}).front().size() == 127);
  CHECK(characters("aß\xFF") == 3);
  CHECK(characters("\xBF\xBF"
                   "a") == 2);
  CHECK(characters("") == 0);
}

TEST_CASE("too many levels are refused before they are built") {
  constexpr std::size_t kMany = 2'000'000;  // a row of so many levels of such a text would have terabytes
  check_refused(Masking{}, {std::string(kMany, 'x')},
                "the hierarchy of c would have 2000001 levels, 127 are possible");
  Masking listed;
  for (std::size_t count = 1; count <= 200; ++count) listed.masked.push_back(count);
  check_refused(listed, {std::string(kMany, 'x')},
                "the hierarchy of c would have 202 levels, 127 are possible");
  Order order{{"a"}, {}};
  Tree tree{{{"0", ""}}};
  for (int i = 0; i < 200; ++i) {
    order.group_sizes.push_back(2);
    tree.parent_of.emplace_back(std::to_string(i + 1), std::to_string(i));
  }
  check_refused(order, {"a"}, "the hierarchy of c would have 202 levels, 127 are possible");
  check_refused(tree, {"7"}, "the hierarchy of c would have 201 levels, 127 are possible");
}

TEST_CASE("dates go up the chosen steps, and the calendar is checked") {
  const Dates rule{{DateStep::day, DateStep::month, DateStep::quarter, DateStep::year, DateStep::decade}};
  CHECK(built(rule, {"2024-02-29 23:59:59.5+00", "1999-12-31"}) ==
        Rows{{"2024-02-29 23:59:59.5+00", "2024-02-29", "2024-02", "2024-Q1", "2024", "2020s", "*"},
             {"1999-12-31", "1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*"}});
  check_refused(
      Dates{{DateStep::year}},
      {"2023-02-29", "2000-02-29", "1900-02-29", "2023-13-01", "2023-00-01", "2023-01-32", "infinity",
       "2023-1-1", "0044-03-15 BC", "2023-01-01x", "0000-01-01"},
      "10 values of c are no dates YYYY-MM-DD",
      "2023-02-29, 1900-02-29, 2023-13-01, 2023-00-01, 2023-01-32, infinity, 2023-1-1, 0044-03-15 BC, "
      "2023-01-01x, 0000-01-01");
  const std::string message = "the steps of the dates of c are none, or not in order";
  check_refused(Dates{}, {}, message);
  check_refused(Dates{{DateStep::year, DateStep::month}}, {}, message);
  check_refused(Dates{{DateStep::year, DateStep::year}}, {}, message);
}

TEST_CASE("a tree repeats what is less deep, and takes inner nodes as values") {
  const Tree rule{{{"world", ""},
                   {"Europe", "world"},
                   {"France", "Europe"},
                   {"Paris", "France"},
                   {"Lyon", "France"},
                   {"Asia", "world"}}};
  CHECK(built(rule, {"Paris", "France"}) == Rows{{"France", "France", "Europe", "world"},
                                                 {"Paris", "France", "Europe", "world"},
                                                 {"Lyon", "France", "Europe", "world"},
                                                 {"Asia", "Asia", "Asia", "world"}});
  CHECK(built(Tree{{{"a", ""}, {"b", ""}}}, {"a"}) == Rows{{"a", "*"}, {"b", "*"}});
  CHECK(built(Tree{{{"a", ""}}}, {"a"}) == Rows{{"a", "*"}});
  check_refused(rule, {"Rome", "Paris", "Oslo"}, "the tree of c lacks 2 values of the column", "Rome, Oslo");
  check_refused(Tree{{{"a", "b"}, {"b", "a"}}}, {"a"}, "the tree of c has a circle");
  check_refused(Tree{{{"r", ""}, {"a", "b"}, {"b", "a"}}}, {"r"}, "the tree of c has a circle");
  check_refused(Tree{{{"a", "x"}}}, {"a"}, "the tree of c has a parent that is no node");
  check_refused(Tree{{{"a", ""}, {"a", ""}}}, {"a"}, "the tree of c has its node 2 twice");
  check_refused(Tree{{{"", ""}}}, {}, "the tree of c has a node without a name");
  check_refused(Tree{}, {}, "the tree of c is empty");
}

TEST_CASE("NULL stays itself up to the last level, unless the rule names it") {
  CHECK(built(Intervals{"0", {"5"}, {}, {}}, {"NULL", "3"}, "NULL") ==
        Rows{{"3", "[0, 5)", "*"}, {"NULL", "NULL", "*"}});
  CHECK(built(Masking{}, {"NULL", "abc"}, "NULL") ==
        Rows{{"abc", "ab*", "a**", "***"}, {"NULL", "NULL", "NULL", "***"}});
  CHECK(built(Dates{{DateStep::year}}, {""}, "") == Rows{{"", "", "*"}});
  CHECK(built(Tree{{{"a", ""}}}, {"NULL"}, "NULL") == Rows{{"a", "*"}, {"NULL", "*"}});
  CHECK(built(Order{{"NULL", "1"}, {2}}, {"NULL"}, "NULL") ==
        Rows{{"NULL", "NULL - 1", "*"}, {"1", "NULL - 1", "*"}});
}

TEST_CASE("property: each level of a built hierarchy refines the next, and the last is one value") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto number = [&](std::uint64_t below) { return static_cast<std::int64_t>(random() % below); };
    Texts numbers, dates, words;
    for (int i = 0; i < 40; ++i) {
      const auto whole = number(2000) - 1000;
      numbers.push_back(random() % 2 == 0 ? fmt::format("{}", whole)
                                          : fmt::format("{}.{:02}", whole, number(100)));
      dates.push_back(fmt::format("{:04}-{:02}-{:02}", 1950 + number(80), 1 + number(12), 1 + number(28)));
      std::string word;
      for (auto length = number(7); length > 0; --length) word += random() % 3 == 0 ? "é" : "*";
      words.push_back(word);
    }
    Intervals intervals{fmt::format("{}", number(50) - 25), {}, {}, {}};
    std::int64_t width = 1 + number(9);
    for (auto levels = 1 + number(4); levels > 0; --levels) {
      intervals.widths.push_back(fmt::format("{}", width));
      width *= 2 + number(3);
    }
    if (random() % 2 == 0) intervals.low = fmt::format("{}", number(500) - 600);
    if (random() % 2 == 0) intervals.high = fmt::format("{}.5", number(500));
    Order order;
    for (int i = 0; i < 30; ++i) order.order.push_back(fmt::format("o{}", i));
    for (auto levels = number(4); levels > 0; --levels) {
      order.group_sizes.push_back(2 + static_cast<std::size_t>(number(4)));
    }
    Tree tree{{{"n0", ""}}};
    Texts nodes;
    for (int i = 1; i < 30; ++i) {
      nodes.push_back(fmt::format("n{}", i));
      tree.parent_of.emplace_back(nodes.back(), number(9) == 0 ? "" : fmt::format("n{}", number(30) % i));
    }
    const KeptSide side = random() % 2 == 0 ? KeptSide::prefix : KeptSide::suffix;
    const std::pair<HierarchyRule, Texts> cases[] = {
        {intervals, numbers},
        {order, order.order},
        {tree, nodes},
        {Masking{side, {}}, words},
        {Masking{side, {1, 4}}, words},
        {Dates{{DateStep::month, DateStep::quarter, DateStep::decade}}, dates}};
    for (const auto& [rule, values] : cases) {
      const auto levels = levels_of(rule, values);
      CHECK(levels.distinct(levels.height()) == 1);
      for (unsigned level = 1; level <= levels.height(); ++level)
        CHECK(levels.distinct(level) <= levels.distinct(level - 1));
    }
  }
}

}  // namespace pgveil::engine::hierarchy_builders_test
