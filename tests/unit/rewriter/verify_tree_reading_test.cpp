// The verifier's own reading of a tree against the one that counts and the one that masks are compiled from.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "policy/decision/decision.hpp"
#include "policy/level/preimage.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/tree/tree.hpp"
#include "rewriter/verify/verify_levels.hpp"
#include "rewriter/verify/verify_reader.hpp"
#include "rewriter/verify/verify_tree_reading.hpp"

using namespace pgveil;
using namespace pgveil::rewriter;

namespace {

policy::Counts random_counts(std::mt19937_64& random, std::size_t attributes) {
  policy::Counts counts;
  const std::size_t entries = 5 + random() % 60;
  for (std::size_t a = 0; a < attributes; ++a) {
    policy::Attribute attribute;
    attribute.name = "q" + std::to_string(a);
    attribute.number = static_cast<int>(a) + 1;
    const std::size_t values = 1 + random() % 5;
    for (std::size_t v = 0; v < values; ++v) attribute.values.push_back("v" + std::to_string(v));
    std::vector<policy::Code> codes;
    for (std::size_t e = 0; e < entries; ++e)
      codes.push_back(static_cast<policy::Code>(random() % (values + 1)));
    counts.attributes.push_back(std::move(attribute));
    counts.codes.push_back(std::move(codes));
  }
  for (std::size_t e = 0; e < entries; ++e) counts.rows.push_back(1 + random() % 4);
  return counts;
}

TreeReading::Row random_row(std::mt19937_64& random, const policy::Counts& counts) {
  TreeReading::Row row;
  for (const policy::Attribute& attribute : counts.attributes) {
    const std::size_t choice = random() % (attribute.values.size() + 2);
    auto& value = row[attribute.name];
    if (choice < attribute.values.size()) value = attribute.values[choice];
    if (choice == attribute.values.size()) value = "unseen";
  }
  return row;
}

}  // namespace

TEST_CASE("the verifier reads a tree as it is counted and as masks are compiled") {
  std::mt19937_64 random(31);
  std::size_t falling = 0;
  std::size_t shown = 0;
  for (int world = 0; world < 300; ++world) {
    const auto counts = random_counts(random, 1 + random() % 5);
    const auto tree = policy::build_tree(counts, 2 + random() % 3, {.strategy = policy::Strategy::thorough});
    if (!tree) continue;
    falling += static_cast<std::size_t>(std::ranges::count_if(tree->nodes, &policy::Node::falls_back));
    const TreeReading reading(*tree);
    const auto decisions = policy::compile_decisions(*tree);
    for (int i = 0; i < 100; ++i) {
      const auto row = random_row(random, counts);
      std::vector<std::optional<std::string_view>> values;
      for (const policy::TreeAttribute& attribute : tree->attributes) {
        const auto& value = row.at(attribute.name);
        values.push_back(value ? std::optional<std::string_view>(*value) : std::nullopt);
      }
      const auto found = reading.shown(row);
      for (std::size_t a = 0; a < values.size(); ++a) {
        const bool is_expected = policy::is_released(decisions[a], values);
        CHECK(found[a].has_value() == is_expected);
        if (found[a]) CHECK(*found[a] == *values[a]);
        shown += is_expected ? 1 : 0;
      }
    }
    for (std::uint32_t a = 0; a < tree->attributes.size(); ++a) {
      const auto released = policy::values_released(*tree, a);
      CHECK(reading.released_values(a) == TreeReading::Values(released.begin(), released.end()));
      TreeReading::Values of_cohorts;
      policy::for_each_cohort(*tree, [&](const policy::Cohort& cohort) {
        for (const policy::PathStep& step : cohort.path) {
          if (step.has_value && step.attribute == a) of_cohorts.insert(step.value);
        }
      });
      CHECK(reading.values_of_cohorts(a) == of_cohorts);
    }
  }
  CHECK(falling > 50);
  CHECK(shown > 1'000);
}

TEST_CASE("what is no tree is not read") {
  const policy::DisclosureTree fine{2,
                                    {{"a", 1}, {"b", 2}},
                                    {{policy::Split{0, "x"}, 1, 4, 9, 9},
                                     {policy::Split{1, "y"}, 2, 3, 5, 5},
                                     {{}, 0, 0, 4, 4},
                                     {.split = {}, .rows = 1, .units = 1, .falls_back = true},
                                     {{}, 0, 0, 4, 4}}};
  const auto is_read = [](policy::DisclosureTree tree) {
    try {
      const TreeReading reading(tree);
      static_cast<void>(reading.shown({{"a", "z"}, {"b", std::nullopt}}));
      return true;
    } catch (const Unreadable&) {
      return false;
    }
  };
  CHECK(is_read(fine));
  const auto changed = [&](auto change) {
    policy::DisclosureTree tree = fine;
    change(tree);
    return is_read(std::move(tree));
  };
  CHECK_FALSE(changed([](auto& tree) { tree.nodes.clear(); }));
  CHECK_FALSE(changed([](auto& tree) { tree.nodes[0].no = 2; }));
  CHECK_FALSE(changed([](auto& tree) { tree.nodes[0].no = 7; }));
  CHECK_FALSE(changed([](auto& tree) { tree.nodes[0].yes = 0; }));
  CHECK_FALSE(changed([](auto& tree) { tree.nodes[1].split->attribute = 2; }));
  CHECK_FALSE(changed([](auto& tree) { tree.nodes[4].falls_back = true; }));
  CHECK_FALSE(changed([](auto& tree) { tree.nodes.push_back(tree.nodes[4]); }));
}

TEST_CASE("rows that fall back show what the next outer chain's end shows") {
  const policy::DisclosureTree tree{2,
                                    {{"a", 1}, {"b", 2}},
                                    {{policy::Split{0, "x"}, 1, 4, 9, 9},
                                     {policy::Split{1, "y"}, 2, 3, 5, 5},
                                     {{}, 0, 0, 4, 4},
                                     {.split = {}, .rows = 1, .units = 1, .falls_back = true},
                                     {{}, 0, 0, 4, 4}}};
  const TreeReading reading(tree);
  using Shown = std::vector<std::optional<std::string>>;
  CHECK(reading.shown({{"a", "x"}, {"b", "y"}}) == Shown{"x", "y"});
  CHECK(reading.shown({{"a", "x"}, {"b", "z"}}) == Shown{std::nullopt, std::nullopt});
  CHECK(reading.shown({{"a", std::nullopt}, {"b", "y"}}) == Shown{std::nullopt, std::nullopt});
  CHECK(reading.values_of_cohorts(0) == TreeReading::Values{"x"});
}

namespace {

MaskReader::Test test_of(const policy::Preimage& preimage) {
  MaskReader::Test test{"c", {}, {}, {}};
  if (const auto* range = std::get_if<policy::RangeOf>(&preimage))
    test.ranges.insert({range->lower, range->upper});
  if (const auto* start = std::get_if<policy::StartsWith>(&preimage)) {
    test.length = start->length;
    test.values.insert(start->start);
  }
  if (const auto* one = std::get_if<policy::OneOf>(&preimage))
    test.values.insert(one->values.begin(), one->values.end());
  return test;
}

policy::Level level_of(policy::LevelMethod method, policy::LevelShows shows) {
  return {.source = "c", .source_number = 1, .step = 1, .shows = shows, .method = std::move(method)};
}

}  // namespace

TEST_CASE("the verifier tells a level's pre-image by what the level is at its ends") {
  const std::vector<std::string> numbers = {"-10.5", "-0.0001", "0",  "0.5",    "17",
                                            "18",    "29.9999", "65", "1000000"};
  const std::vector<std::string> days = {"1000-01-01", "1899-12-31", "1999-12-31",
                                         "2000-02-29", "2024-03-01", "2026-01-01"};
  struct Case {
    policy::LevelMethod method;
    const std::vector<std::string>& raw;
    std::string off;  // another end
  };
  std::vector<Case> cases = {
      {policy::Bins{10 * policy::kScale, 0}, numbers, "12.3456"},
      {policy::Bins{policy::kScale / 2, policy::kScale / 4}, numbers, "12.3456"},
      {policy::Bounds{{0, 18 * policy::kScale, 65 * policy::kScale}}, numbers, "12.3456"}};
  for (const auto period : {policy::Period::day, policy::Period::week, policy::Period::month,
                            policy::Period::quarter, policy::Period::year, policy::Period::decade})
    cases.push_back({period, days, "2001-05-17"});
  std::size_t tried = 0;
  for (const Case& it : cases) {
    for (const auto shows : {policy::LevelShows::label, policy::LevelShows::start}) {
      const policy::Level level = level_of(it.method, shows);
      for (const std::string& raw : it.raw) {
        const auto value = policy::level_value(level, raw);
        if (!value) continue;
        CAPTURE(*value);
        CHECK(policy::level_value(level, raw_value_in(level, *value)) == value);
        const MaskReader::Test right = test_of(policy::preimage_of(level, *value).value());
        CHECK(asks_for_values_of(level, right, {*value}));
        CHECK_FALSE(asks_for_values_of(level, right, {*value + "x"}));
        const MaskReader::Range range = *right.ranges.begin();
        for (MaskReader::Range wrong :
             {MaskReader::Range{it.off, range.upper}, MaskReader::Range{range.lower, it.off},
              MaskReader::Range{std::nullopt, std::nullopt}}) {
          MaskReader::Test test = right;
          test.ranges = {wrong};
          CHECK_FALSE(asks_for_values_of(level, test, {*value}));
        }
        MaskReader::Test open = right;
        if (range.lower && range.upper) {
          open.ranges = {{range.lower, std::nullopt}};
          CHECK_FALSE(asks_for_values_of(level, open, {*value}));
          open.ranges = {{std::nullopt, range.upper}};
          CHECK_FALSE(asks_for_values_of(level, open, {*value}));
        }
        ++tried;
      }
    }
  }
  CHECK(tried > 50);
}

TEST_CASE("the verifier tells beginnings and groups by the level") {
  const policy::Level prefix = level_of(policy::Prefix{3}, policy::LevelShows::label);
  const MaskReader::Test ham{"c", {"Ham"}, 3, {}};
  CHECK(asks_for_values_of(prefix, ham, {"Ham*", "Ulm*"}));
  CHECK_FALSE(asks_for_values_of(prefix, ham, {"Ulm*"}));
  CHECK_FALSE(asks_for_values_of(prefix, {"c", {"Ham"}, 2, {}}, {"Ham*"}));
  CHECK_FALSE(asks_for_values_of(prefix, {"c", {"Ham"}, {}, {}}, {"Ham*"}));
  CHECK_FALSE(asks_for_values_of(prefix, {"c", {"Hamburg"}, 3, {}}, {"Ham*"}));
  CHECK(asks_for_values_of(prefix, {"c", {"Ha"}, 3, {}}, {"Ha*"}));
  CHECK(raw_value_in(prefix, "Ham*") == "Ham");

  const policy::Level groups =
      level_of(policy::Groups{{{"DC", "east"}, {"MD", "east"}, {"OH", "middle"}}}, policy::LevelShows::label);
  CHECK(asks_for_values_of(groups, {"c", {"DC", "MD"}, {}, {}}, {"east"}));
  CHECK(asks_for_values_of(groups, {"c", {"DC", "MD", "OH"}, {}, {}}, {"east", "middle"}));
  CHECK_FALSE(asks_for_values_of(groups, {"c", {"DC", "MD", "OH"}, {}, {}}, {"east"}));
  CHECK_FALSE(asks_for_values_of(groups, {"c", {"DC"}, {}, {}}, {"east"}));
  CHECK_FALSE(asks_for_values_of(groups, {"c", {"DC", "MD", "KY"}, {}, {}}, {"east"}));
  CHECK(raw_value_in(groups, "middle") == "OH");
  CHECK_THROWS_AS(static_cast<void>(raw_value_in(groups, "west")), Unreadable);
}
