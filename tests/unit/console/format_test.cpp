#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "console/format_cohorts.hpp"
#include "console/format_diff.hpp"
#include "console/format_dot.hpp"
#include "console/format_policies.hpp"
#include "console/format_rules.hpp"
#include "console/format_tree.hpp"
#include "console/quote.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::console {
namespace {

using Row = std::vector<std::optional<std::string>>;
using Rows = std::vector<Row>;

// The paper's tree: eleven people, k = 2 (docs/disclosure-tree.md).
policy::DisclosureTree paper_tree() {
  const auto split = [](std::uint32_t attribute, std::string value) {
    return policy::Split{attribute, std::move(value)};
  };
  policy::DisclosureTree tree;
  tree.k = 2;
  tree.attributes = {{"occupation", 2}, {"city", 3}, {"state", 4}};
  tree.nodes = {{split(2, "OH"), 1, 6, 11, 11},
                {split(1, "Hamlet"), 2, 5, 6, 6},
                {split(0, "Farmer"), 3, 4, 4, 4},
                {std::nullopt, 0, 0, 2, 2},
                {std::nullopt, 0, 0, 2, 2},
                {std::nullopt, 0, 0, 2, 2},
                {split(0, "Accountant"), 7, 8, 5, 5},
                {std::nullopt, 0, 0, 3, 3},
                {std::nullopt, 0, 0, 2, 2}};
  return tree;
}

TEST_CASE("the rules of the worked example are the paper's") {
  const auto table = rules_table(paper_tree());
  CHECK(table.rows == Rows{{"occupation",
                            "(state = 'OH' AND city = 'Hamlet' AND occupation = 'Farmer') OR "
                            "(NOT state = 'OH' AND occupation = 'Accountant')",
                            "5"},
                           {"city", "state = 'OH' AND city = 'Hamlet'", "4"},
                           {"state", "state = 'OH'", "6"}});
}

TEST_CASE("the cohorts of the worked example are the paper's") {
  const auto table = cohorts_table(paper_tree());
  CHECK(table.rows ==
        Rows{{"D111", "2", "2", "state = 'OH' AND city = 'Hamlet' AND occupation = 'Farmer'",
              "occupation, city, state"},
             {"D112", "2", "2", "state = 'OH' AND city = 'Hamlet' AND NOT occupation = 'Farmer'",
              "city, state"},
             {"D12", "2", "2", "state = 'OH' AND NOT city = 'Hamlet'", "state"},
             {"D21", "3", "3", "NOT state = 'OH' AND occupation = 'Accountant'", "occupation"},
             {"D22", "2", "2", "NOT state = 'OH' AND NOT occupation = 'Accountant'", "nothing"}});
}

std::vector<std::string> labels(const Excerpt& excerpt) {
  std::vector<std::string> out;
  for (const auto& row : cohorts_table(paper_tree(), excerpt).value().rows) out.push_back(*row.front());
  return out;
}

TEST_CASE("cohorts can be asked for by what they show, and some at a time") {
  using Labels = std::vector<std::string>;
  CHECK(labels({}) == Labels{"D111", "D112", "D12", "D21", "D22"});
  CHECK(labels({.column = "occupation"}) == Labels{"D111", "D21"});
  CHECK(labels({.column = "occupation", .value = "Farmer"}) == Labels{"D111"});
  CHECK(labels({.column = "occupation", .value = "Lawyer"}).empty());
  CHECK(labels({.limit = 2, .offset = 1}) == Labels{"D112", "D12"});
  CHECK(labels({.column = "state", .limit = 1, .offset = 2}) == Labels{"D12"});
  CHECK(labels({.limit = std::nullopt, .offset = 4}) == Labels{"D22"});
  const auto notices = [](const Excerpt& excerpt) {
    return cohorts_table(paper_tree(), excerpt).value().notices;
  };
  CHECK(notices({}).empty());
  CHECK(notices({.limit = 2, .offset = 1}) ==
        std::vector<std::string>{"5 cohorts, of which 2 to 3 are shown: LIMIT and OFFSET show others"});
  CHECK(notices({.limit = 2, .offset = 9}) ==
        std::vector<std::string>{"5 cohorts, of which none is shown: LIMIT and OFFSET show others"});
  CHECK(notices({.column = "state", .limit = 3}).empty());
  const auto unknown = cohorts_table(paper_tree(), {.column = "stat"});
  REQUIRE(unknown.has_error());
  CHECK(unknown.error().sqlstate == "42703");
  CHECK(unknown.error().hint == "they are occupation, city, state");
}

TEST_CASE("the rules of one column are a row each") {
  const auto of = [](const Excerpt& excerpt) { return rules_table(paper_tree(), excerpt).value().rows; };
  CHECK(of({.column = "occupation"}) ==
        Rows{{"occupation", "state = 'OH' AND city = 'Hamlet' AND occupation = 'Farmer'", "2"},
             {"occupation", "NOT state = 'OH' AND occupation = 'Accountant'", "3"}});
  CHECK(of({.column = "occupation", .value = "Accountant"}) ==
        Rows{{"occupation", "NOT state = 'OH' AND occupation = 'Accountant'", "3"}});
  CHECK(of({.column = "occupation", .limit = 1, .offset = 1}).size() == 1);
  CHECK(of({}) == rules_table(paper_tree()).rows);
  CHECK(of({.limit = 1, .offset = 2}) == Rows{{"state", "state = 'OH'", "6"}});
  CHECK(rules_table(paper_tree(), {.column = "id"}).has_error());
}

// A chain of as many cities.
policy::DisclosureTree long_tree(std::uint32_t cities) {
  policy::DisclosureTree tree;
  tree.k = 2;
  tree.attributes = {{"city", 3}};
  for (std::uint32_t i = 0; i < cities; ++i) {
    const std::uint64_t rows = 2 * (cities - i) + 2;
    tree.nodes.push_back({policy::Split{0, "c" + std::to_string(i)}, 2 * i + 1, 2 * i + 2, rows, rows});
    tree.nodes.push_back({std::nullopt, 0, 0, 2, 2});
  }
  tree.nodes.push_back({std::nullopt, 0, 0, 2, 2});
  return tree;
}

TEST_CASE("of very many rules and cohorts the first are named, and how many there are") {
  const auto tree = long_tree(1'100);
  const std::string rule = *rules_table(tree).rows.front()[1];
  CHECK(rule.find("city = 'c99')") != std::string::npos);
  CHECK(rule.find("city = 'c100')") == std::string::npos);
  CHECK(rule.ends_with(" OR … 1000 more, which SHOW RULES … FOR city lists"));
  CHECK(rules_table(tree).rows.front()[2] == "2200");
  CHECK(cohorts_table(tree).rows.size() == 1'101);
  const auto excerpt = cohorts_table(tree, Excerpt{}).value();
  CHECK(excerpt.rows.size() == kExcerptRows);
  CHECK(excerpt.notices ==
        std::vector<std::string>{"1101 cohorts, of which 1 to 1000 are shown: LIMIT and OFFSET show others"});
}

TEST_CASE("the outline of the worked example continues on the no side") {
  const auto table = tree_table(paper_tree());
  CHECK(table.rows == Rows{{"everything", "11", "11", std::nullopt, std::nullopt},
                           {"  state = 'OH'", "6", "6", std::nullopt, std::nullopt},
                           {"    city = 'Hamlet'", "4", "4", std::nullopt, std::nullopt},
                           {"      occupation = 'Farmer'", "2", "2", "D111", "occupation, city, state"},
                           {"      otherwise", "2", "2", "D112", "city, state"},
                           {"    otherwise", "2", "2", "D12", "state"},
                           {"  occupation = 'Accountant'", "3", "3", "D21", "occupation"},
                           {"  otherwise", "2", "2", "D22", "nothing"}});
}

// Two of OH's four in Hamlet and one elsewhere; OH itself was closed: who is elsewhere falls back.
policy::DisclosureTree closed_tree() {
  policy::DisclosureTree tree;
  tree.k = 2;
  tree.attributes = {{"city", 3}, {"state", 4}};
  tree.nodes = {{policy::Split{1, "OH"}, 1, 4, 8, 8},
                {policy::Split{0, "Hamlet"}, 2, 3, 4, 4},
                {std::nullopt, 0, 0, 3, 3},
                {std::nullopt, 0, 0, 1, 1, true},
                {std::nullopt, 0, 0, 4, 4}};
  return tree;
}

TEST_CASE("rows that fall back are told apart") {
  CHECK(tree_table(closed_tree()).rows == Rows{{"everything", "8", "8", std::nullopt, std::nullopt},
                                               {"  state = 'OH'", "4", "4", std::nullopt, std::nullopt},
                                               {"    city = 'Hamlet'", "3", "3", "D11", "city, state"},
                                               {"    otherwise", "1", "1", "as D2", "nothing"},
                                               {"  otherwise", "4", "4", "D2", "nothing"}});
  CHECK(cohorts_table(closed_tree()).rows ==
        Rows{{"D11", "3", "3", "state = 'OH' AND city = 'Hamlet'", "city, state"},
             {"D2", "5", "4", "NOT state = 'OH'", "nothing"}});
  CHECK(rules_table(closed_tree()).rows == Rows{{"city", "state = 'OH' AND city = 'Hamlet'", "3"},
                                                {"state", "state = 'OH', but for rows that fall back", "3"}});
}

TEST_CASE("a tree is drawn with its conditions, its cohorts and what falls back") {
  auto tree = closed_tree();
  tree.nodes[1].split->value = "a\"b\\c";
  CHECK(tree_dot(tree) == R"(digraph disclosure_tree {
  node [shape=ellipse];
  n0 [label="state = 'OH' ?"];
  n0 -> n1 [label="yes"];
  n0 -> n4 [label="no"];
  n1 [label="city = E'a\"b\\\\c' ?"];
  n1 -> n2 [label="yes"];
  n1 -> n3 [label="no"];
  n2 [shape=box, label="D11: 3 rows, 3 units; shows city, state"];
  n4 [shape=box, label="D2: 5 rows, 4 units; shows nothing"];
  n3 [shape=point, xlabel="1 rows"];
  n3 -> n4 [style=dashed, constraint=false];
}
)");
}

policy::PolicyVersion version_with(policy::DisclosureTree tree, std::vector<std::uint64_t> shown) {
  policy::PolicyVersion version;
  version.tree = std::move(tree);
  version.disclosure.rows = 8;
  version.disclosure.cells = 16;
  version.disclosure.disclosed_by_attribute = shown;
  version.disclosure.computable_by_attribute = {1, 2};
  version.disclosure.equal_by_attribute = {0, 1};
  version.disclosure.disclosed = shown[0] + shown[1];
  version.disclosure.computable = 3;
  version.disclosure.equal = 1;
  return version;
}

TEST_CASE("two versions side by side") {
  const auto before = version_with(closed_tree(), {3, 3});
  auto after = version_with(closed_tree(), {4, 4});
  after.tree.attributes[0].name = "town";
  after.tree.nodes[2].rows = 5;
  CHECK(shares_table(before, after).rows ==
        Rows{{"city", "37.5%", std::nullopt, "12.5%", std::nullopt, "0.0%", std::nullopt},
             {"state", "37.5%", "50.0%", "25.0%", "25.0%", "12.5%", "12.5%"},
             {"town", std::nullopt, "50.0%", std::nullopt, "12.5%", std::nullopt, "0.0%"},
             {"all", "37.5%", "50.0%", "18.8%", "18.8%", "6.2%", "6.2%"}});
  CHECK(changes_table(before.tree, after.tree).rows ==
        Rows{{"gone", "city = 'Hamlet', state = 'OH'", "3", std::nullopt, "3", std::nullopt},
             {"new", "state = 'OH', town = 'Hamlet'", std::nullopt, "5", std::nullopt, "3"}});
  CHECK(changes_table(before.tree, before.tree).rows.empty());
}

TEST_CASE("a tree that is one leaf shows nothing") {
  policy::DisclosureTree tree;
  tree.k = 2;
  tree.attributes = {{"city", 1}};
  tree.nodes = {{std::nullopt, 0, 0, 5, 5}};
  CHECK(rules_table(tree).rows == Rows{{"city", "never", "0"}});
  CHECK(cohorts_table(tree).rows == Rows{{"D", "5", "5", "everything", "nothing"}});
  CHECK(tree_table(tree).rows == Rows{{"everything", "5", "5", "D", "nothing"}});
}

TEST_CASE("neighbouring exclusions of one attribute are written as one, and very many are cut") {
  policy::DisclosureTree tree;
  tree.attributes = {{"a", 1}, {"b", 2}};
  CHECK(predicate_text(tree,
                       std::vector<policy::PathStep>{
                           {0, "x", false}, {0, "y", false}, {1, "z", false}, {0, "w", false}}) ==
        "NOT a IN ('x', 'y') AND NOT b = 'z' AND NOT a = 'w'");
  std::vector<policy::PathStep> many;
  for (int i = 0; i < 150; ++i) many.push_back({0, std::to_string(i), false});
  const std::string text = predicate_text(tree, many);
  CHECK(text.find("'99', … and 50 more)") != std::string::npos);
  CHECK(text.find("'100'") == std::string::npos);
}

TEST_CASE("names and values are shown without ambiguity, on one line") {
  CHECK(shown_name("city") == "city");
  CHECK(shown_name("Home City") == "\"Home City\"");
  CHECK(shown_name("a\"b") == "\"a\"\"b\"");
  CHECK(shown_name("1st") == "\"1st\"");
  CHECK(shown_name("") == "\"\"");
  CHECK(shown_value("O'Neill") == "'O''Neill'");
  CHECK(shown_value("") == "''");
  CHECK(shown_value("a\nb\tc\\d\x01") == "E'a\\nb\\tc\\\\d\\x01'");
  CHECK(shown_percent(15, 33) == "45.5");
  CHECK(shown_percent(15, 33, 0) == "45");
  CHECK(shown_percent(1, 0) == "");
}

// Without last_failure, failure, last_check and finding.
Rows without_outcomes(Rows rows) {
  for (auto& row : rows) row.resize(row.size() - 4);
  return rows;
}

TEST_CASE("SHOW POLICIES tells stats users no cohort sizes and only whole per cents") {
  auto spec = std::make_shared<policy::PolicySpec>();
  spec->name = "people_k2";
  spec->database = "demo";
  spec->schema = "public";
  spec->table = "People";
  spec->k = 2;
  auto version = std::make_shared<policy::PolicyVersion>();
  version->number = 3;
  version->built_at = "2026-01-31T12:00:00Z";
  version->disclosure = {.rows = 11,
                         .units = 11,
                         .cells = 33,
                         .disclosed = 15,
                         .computable = 2,
                         .equal = 6,
                         .cohorts = 5,
                         .smallest_cohort = 2,
                         .disclosed_by_attribute = {5, 4, 6},
                         .computable_by_attribute = {},
                         .equal_by_attribute = {}};
  version->tree = paper_tree();
  version->utility = policy::Utility{.most_cells = 23,
                                     .columns = {{{0}, 3, 2, 11, 5, 466'667, 1'000'000, 3, 2},
                                                 {{1}, 7, 1, 11, 4, 857'143, 1'000'000, 7, 1},
                                                 {{2}, 5, 1, 11, 6, 800'000, 1'000'000, 5, 1}},
                                     .pairs = {},
                                     .declared = {},
                                     .implied = {}};
  const std::vector<PolicyLine> lines{
      {spec, version, ""}, {spec, nullptr, "build needed", "counting 20000", "query, not stored: no column"}};
  const auto admin = policies_table(lines, Standing::admin);
  CHECK(
      without_outcomes(admin.rows) ==
      Rows{{"people_k2", "demo", "public.\"People\"", "2", std::nullopt, "3", "open", "2026-01-31T12:00:00Z",
            "5", "2", "45.5%", "6.1%", "18.2%", "69.7%", "70.8%", "city 36.4%", std::nullopt, std::nullopt,
            "query"},
           {"people_k2", "demo", "public.\"People\"", "2", std::nullopt, std::nullopt, "closed", std::nullopt,
            std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
            std::nullopt, "build needed", "counting 20000", "query, not stored: no column"}});
  const auto stats = policies_table(lines, Standing::stats);
  CHECK(without_outcomes(stats.rows).front() ==
        Row{"people_k2", "demo", "public.\"People\"", "2", std::nullopt, "3", "open", "2026-01-31T12:00:00Z",
            std::nullopt, std::nullopt, "45%", "6%", "18%", std::nullopt, std::nullopt, "city 36%",
            std::nullopt, std::nullopt, "query"});
  CHECK(without_outcomes(stats.rows).back().back() ==
        "query, not stored");  // the reason names what is a hash of the tree
  for (const auto& row : admin.rows) CHECK(row.size() == admin.columns.size());
  version->utility.reset();  // from before answers were measured
  const auto old = policies_table(lines, Standing::admin).rows.front();
  CHECK(Row(old.begin() + 13, old.begin() + 16) == Row{std::nullopt, std::nullopt, std::nullopt});
}

TEST_CASE(
    "SHOW POLICIES tells stats users when a build failed and a check was made, and admins what was found") {
  const auto spec = std::make_shared<policy::PolicySpec>();
  PolicyLine failed{spec, nullptr, "build needed"};
  failed.last_failure = "2026-01-30T03:00:00Z";
  failed.failure = "the source has rows of 3 persons";
  failed.last_check = "2026-01-30T04:00:00Z";
  failed.finding = "2 splits fell below k";
  const std::vector<PolicyLine> lines{failed, {spec, nullptr, "build needed"}};
  const auto outcomes = [&](Standing standing) {
    Rows rows;
    for (const auto& row : policies_table(lines, standing).rows) rows.emplace_back(row.end() - 4, row.end());
    return rows;
  };
  CHECK(outcomes(Standing::admin) == Rows{{"2026-01-30T03:00:00Z", "the source has rows of 3 persons",
                                           "2026-01-30T04:00:00Z", "2 splits fell below k"},
                                          {std::nullopt, std::nullopt, std::nullopt, std::nullopt}});
  CHECK(outcomes(Standing::stats) ==
        Rows{{"2026-01-30T03:00:00Z", std::nullopt, "2026-01-30T04:00:00Z", std::nullopt},
             {std::nullopt, std::nullopt, std::nullopt, std::nullopt}});
}

}  // namespace
}  // namespace pgveil::console
