// `generalize` of a policy: what is read, and what is refused where.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "policy/level/level_hierarchy.hpp"
#include "policy/spec/spec_reader.hpp"

namespace pgveil::policy::testing {

namespace {

constexpr std::string_view kTowns = "Kiel;coast;north\nHusum;coast;north\nUlm;hills;south\n";

Result<std::string> read_towns(const yaml::Position& at, const std::string& path) {
  if (path == "towns.csv") return std::string(kTowns);
  if (path == "uneven.csv") return std::string("Kiel;coast\nUlm;hills;south\n");
  if (path == "tangled.csv") return std::string("Kiel;coast;north\nHusum;coast;south\n");
  return yaml::error_at(at, "there is no file", "create it");
}

// `columns` stands from line 8 on, indented by 6.
Result<std::vector<PolicySpec>> read(std::string_view columns) {
  return read_policy_text(
      fmt::format(
          "version: 1\npolicies:\n  - name: p\n    database: d\n    table: s.t\n    k: 2\n    columns:\n{}\n",
          columns),
      "p.yaml", read_towns);
}

PolicySpec policy(std::string_view columns) {
  auto policies = read(columns);
  REQUIRE_MESSAGE(policies.has_value(), policies.error().public_message);
  return policies->front();
}

std::string error_of(std::string_view generalize) {
  const auto policies =
      read(fmt::format("      age: {{class: quasi_identifier, generalize: {}}}", generalize));
  REQUIRE(!policies.has_value());
  return policies.error().public_message;
}

}  // namespace

TEST_CASE("levels become columns of the policy, right after their own") {
  const PolicySpec spec = policy(
      "      age: {class: quasi_identifier, generalize: [{width: 5, column: a5}, {width: 10, origin: 5, "
      "column: a10, show: start}]}\n"
      "      born: {class: quasi_identifier, generalize: {period: quarter, column: born_q}}\n"
      "      wage: {class: quasi_identifier, generalize: {bounds: [0, 1000.5], column: wage_r}}\n"
      "      zip: {class: quasi_identifier, generalize: {prefix: 3}}\n"
      "      id: {class: identifier}");
  std::vector<std::string> names;
  for (const ColumnRule& rule : spec.columns) names.push_back(rule.name);
  CHECK(names ==
        std::vector<std::string>{"age", "a5", "a10", "born", "born_q", "wage", "wage_r", "zip", "id"});
  CHECK(!spec.columns[0].level);
  CHECK(spec.columns[1].level == Level{"age", 0, 1, LevelShows::label, Bins{5 * kScale, 0}});
  CHECK(spec.columns[1].column_class == ColumnClass::quasi_identifier);
  CHECK(spec.columns[1].at.line == 8);
  CHECK(spec.columns[2].level == Level{"age", 0, 2, LevelShows::start, Bins{10 * kScale, 5 * kScale}});
  CHECK(spec.columns[4].level == Level{"born", 0, 1, LevelShows::label, Period::quarter});
  CHECK(spec.columns[6].level == Level{"wage", 0, 1, LevelShows::label, Bounds{{0, 10'005'000}}});
  CHECK(spec.columns[7].level == Level{"zip", 0, 1, LevelShows::label, Prefix{3}});
}

TEST_CASE("in place of the exact value the start is shown") {
  const PolicySpec spec = policy(
      "      age: {class: quasi_identifier, generalize: {width: 10}}\n"
      "      born: {class: quasi_identifier, generalize: {period: year, show: label}}");
  REQUIRE(spec.columns.size() == 2);
  CHECK(spec.columns[0].level->shows == LevelShows::start);
  CHECK(spec.columns[1].level->shows == LevelShows::label);
}

TEST_CASE("every part of a level changes the policy's hash") {
  std::vector<std::string> hashes;
  for (const char* generalize :
       {"{width: 10, column: b}", "{width: 20, column: b}", "{width: 10, origin: 1, column: b}",
        "{width: 10, column: c}", "{width: 10, column: b, show: start}", "{width: 10}",
        "{bounds: [10], column: b}", "{bounds: [10, 20], column: b}", "{period: month, column: b}",
        "{period: year, column: b}", "{prefix: 10, column: b}",
        "[{width: 10, column: b}, {width: 20, column: c}]",
        "[{width: 10, column: c}, {width: 20, column: b}]"}) {
    hashes.push_back(
        policy(fmt::format("      age: {{class: quasi_identifier, generalize: {}}}", generalize)).hash);
  }
  hashes.push_back(policy("      age: {class: quasi_identifier}\n      b: {class: quasi_identifier}").hash);
  std::ranges::sort(hashes);
  CHECK(std::ranges::adjacent_find(hashes) == hashes.end());
}

TEST_CASE("what is no level is refused at its place") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", "p.yaml:8:50: the list of levels is empty"},
      {"10", "p.yaml:8:50: expected a level"},
      {"{column: b}",
       "p.yaml:8:50: a level without method; add one of width, bounds, period, prefix, groups, hierarchy"},
      {"{with: 10}", "p.yaml:8:51: unknown key \"with\""},
      {"{width: 10, prefix: 3}", "p.yaml:8:62: one level has both width and prefix"},
      {"{width: 0}", "p.yaml:8:58: the width must be above 0"},
      {"{width: -5}", "p.yaml:8:58: the width must be above 0"},
      {"{width: ten}", "p.yaml:8:58: \"ten\" is not a valid number for a level"},
      {"{width: 0.00001}", "p.yaml:8:58: \"0.00001\" is not a valid number for a level"},
      {"{width: 100000000000001}", "p.yaml:8:58: \"100000000000001\" is not a valid number for a level"},
      {"{width: 1e3}", "p.yaml:8:58: \"1e3\" is not a valid number for a level"},
      {"{bounds: []}", "p.yaml:8:59: 1 to 1000 bounds are needed"},
      {"{bounds: 18}", "p.yaml:8:59: "},
      {"{bounds: [18, 65, 40]}", "p.yaml:8:68: the bounds do not ascend, so bins would overlap"},
      {"{bounds: [18, 18]}", "p.yaml:8:64: the bounds do not ascend"},
      {"{bounds: [18], origin: 3}", "p.yaml:8:73: origin without width"},
      {"{period: fortnight}", "p.yaml:8:59: unknown period \"fortnight\""},
      {"{groups: {}}", "p.yaml:8:59: no groups"},
      {"{groups: {x: []}}", "p.yaml:8:63: an empty group"},
      {"{groups: {x: a}}", "p.yaml:8:63: "},
      {"{groups: [a]}", "p.yaml:8:59: "},
      {"{groups: {'': [a]}}", "p.yaml:8:60: a group without label"},
      {"{groups: {x: [a], y: [b, a]}}", "p.yaml:8:75: a value is listed twice"},
      {"{groups: {x: [a, a]}}", "p.yaml:8:67: a value is listed twice"},
      {"{groups: {x: [a]}, show: start}", "such a level has no start"},
      {"[{groups: {x: [a, b], y: [c]}, column: b}, {groups: {z: [a], w: [b, c]}, column: c}]",
       "groups does not nest in groups"},
      {"[{groups: {x: [a]}, column: b}, {groups: {z: [a, b]}, column: c}]", "groups does not nest in groups"},
      {"{prefix: 0}", "p.yaml:8:59: "},
      {"{prefix: 3, show: start}", "p.yaml:8:68: such a level has no start"},
      {"{width: 10, show: middle}", "p.yaml:8:68: unknown value \"middle\""},
      {"{width: 10, column: age}", "p.yaml:8:70: \"age\" would show both exact values and levels"},
      {"{width: 10, column: ''}", "p.yaml:8:70: a column needs a name"},
      {"[{width: 10}, {width: 20, column: b}]", "p.yaml:8:51: several levels, but one of them has no column"},
      {"[{width: 10, column: b}, {width: 15, column: c}]", "p.yaml:8:75: width 10 does not nest in width 15"},
      {"[{width: 10, column: b}, {width: 20, origin: 5, column: c}]",
       "width 10 does not nest in width 20 origin 5"},
      {"[{width: 10, column: b}, {bounds: [18], column: c}]", "width 10 does not nest in bounds 18"},
      {"[{bounds: [18, 65], column: b}, {bounds: [40], column: c}]",
       "bounds 18, 65 does not nest in bounds 40"},
      {"[{period: week, column: b}, {period: month, column: c}]",
       "period week does not nest in period month"},
      {"[{period: year, column: b}, {period: month, column: c}]",
       "period year does not nest in period month"},
      {"[{prefix: 2, column: b}, {prefix: 3, column: c}]", "prefix 2 does not nest in prefix 3"},
      {"[{width: 10, column: b}, {prefix: 3, column: c}]", "width 10 does not nest in prefix 3"},
      {"[{width: 10, column: b}, {width: 20, column: b}]",
       "p.yaml:8:95: column \"b\" is listed for something else too"},
  };
  for (const auto& [generalize, message] : cases) {
    CAPTURE(generalize);
    const std::string error = error_of(generalize);
    CAPTURE(error);
    CHECK(error.find(message) != std::string::npos);
  }
}

TEST_CASE("a level's column can't be a column of the policy already") {
  for (const char* other : {"quasi_identifier", "identifier", "insensitive"}) {
    for (const bool is_first : {false, true}) {
      const std::string level = "      age: {class: quasi_identifier, generalize: {width: 10, column: b}}";
      const std::string column = fmt::format("      b: {{class: {}}}", other);
      const auto policies = read(is_first ? column + "\n" + level : level + "\n" + column);
      REQUIRE(!policies.has_value());
      CHECK(policies.error().public_message ==
            fmt::format("p.yaml:{}:70: column \"b\" is listed for something else too; give each level an "
                        "empty column of its own",
                        is_first ? 9 : 8));
    }
  }
}

TEST_CASE("only quasi-identifiers have levels, and a unit can't show one") {
  for (const char* column_class : {"identifier", "sensitive", "insensitive"}) {
    const auto policies = read(fmt::format(
        "      q: {{class: quasi_identifier}}\n      age: {{class: {}, generalize: {{width: 10}}}}",
        column_class));
    REQUIRE(!policies.has_value());
    CHECK(policies.error().public_message.find("generalize is only allowed on a quasi_identifier") !=
          std::string::npos);
  }
  const auto policies =
      read("      age: {class: quasi_identifier, generalize: {width: 10, column: b}}\n    unit: b");
  REQUIRE(!policies.has_value());
  CHECK(policies.error().public_message.find("the unit column \"b\" would be visible") != std::string::npos);
}

TEST_CASE("levels count as quasi-identifiers") {
  std::string columns;
  for (int i = 0; i < 33; ++i)
    columns +=
        fmt::format("      a{0}: {{class: quasi_identifier, generalize: {{width: 10, column: b{0}}}}}\n", i);
  const auto policies = read(columns);
  REQUIRE(!policies.has_value());
  CHECK(policies.error().public_message.find("more than 64 quasi-identifiers") != std::string::npos);
}

TEST_CASE("steps of a hierarchy file are groups, and count in the hash by what they say") {
  const PolicySpec spec = policy(
      "      town: {class: quasi_identifier, generalize: [{hierarchy: towns.csv, column: region}, "
      "{hierarchy: towns.csv, "
      "step: 2, column: part}]}");
  CHECK(spec.columns[1].level == Level{"town", 0, 1, LevelShows::label,
                                       Groups{{{"Husum", "coast"}, {"Kiel", "coast"}, {"Ulm", "hills"}}}});
  CHECK(spec.columns[2].level == Level{"town", 0, 2, LevelShows::label,
                                       Groups{{{"Husum", "north"}, {"Kiel", "north"}, {"Ulm", "south"}}}});
  const PolicySpec by_hand = policy(
      "      town: {class: quasi_identifier, generalize: [{groups: {coast: [Husum, Kiel], hills: [Ulm]}, "
      "column: "
      "region}, {groups: {north: [Kiel, Husum], south: [Ulm]}, column: part}]}");
  CHECK(by_hand.hash == spec.hash);
}

TEST_CASE("a hierarchy that can't be used is refused at the key that names it") {
  const struct {
    std::string_view generalize;
    std::string_view message;
  } cases[] = {
      {"{hierarchy: nowhere.csv}", "p.yaml:8:62: there is no file"},
      {"{hierarchy: uneven.csv}", "p.yaml:8:62: \"uneven.csv\": record 2: 3 fields instead of 2"},
      {"{hierarchy: towns.csv, step: 3}",
       "p.yaml:8:62: \"towns.csv\": record 1: the value has no ancestor 3; it has 2 ancestors"},
      {"{hierarchy: towns.csv, separator: ','}",
       "the value has no ancestor 1; it has 0 ancestors. Check the separator"},
      {"{hierarchy: towns.csv, separator: ab}", "\"ab\" is not a separator"},
      {"{hierarchy: towns.csv, step: 0}", "p.yaml:8:79: "},
      {"{width: 10, step: 1}", "step without hierarchy"},
      {"{prefix: 1, separator: ','}", "separator without hierarchy"},
      {"{hierarchy: towns.csv, groups: {x: [a]}}", "one level has both hierarchy and groups"},
      {"{hierarchy: towns.csv, show: start}", "such a level has no start"},
      {"[{hierarchy: tangled.csv, column: b}, {hierarchy: tangled.csv, step: 2, column: c}]",
       "groups does not nest in groups"},
  };
  for (const auto& [generalize, message] : cases) {
    CAPTURE(generalize);
    CHECK(error_of(generalize).find(message) != std::string::npos);
  }
  CHECK(read_policy_text(
            "version: 1\npolicies:\n  - name: p\n    database: d\n    table: s.t\n    k: 2\n    columns:\n"
            "      a: {class: quasi_identifier, generalize: {hierarchy: towns.csv}}\n",
            "p.yaml")
            .error()
            .public_message.find("file \"towns.csv\" can't be read here") != std::string::npos);
}

TEST_CASE("a hierarchy file is refused with the record") {
  const struct {
    std::string_view text;
    std::string_view message;
  } cases[] = {{"", "no record"},
               {"a;x\na;y\n", "record 2: its value is listed twice"},
               {"a;x\nb;\n", "record 2: an ancestor has no name"},
               {"a;\"x\ny\"\n", "record 1: not UTF-8, or a control character"},
               {"a;\xff\n", "record 1: not UTF-8, or a control character"},
               {"a;x\n\"b\n", "record 2: "}};
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    const auto groups = groups_of_hierarchy(text, ';', 1);
    REQUIRE(!groups);
    CHECK(groups.error().public_message.starts_with(message));
  }
}

}  // namespace pgveil::policy::testing
