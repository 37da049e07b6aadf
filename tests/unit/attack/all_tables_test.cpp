// The attackers against the definition: every table of a few rows over a few small columns is grouped by what
// an attacker knows of it (the tree's splits, the size of each class, the values of each column). A hidden
// cell is certain if all tables of its group have one value in it. The library must claim nothing else, and
// under the default strategy nothing may be certain where a class shows anything.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "all_tables.hpp"
#include "attack/findings.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/tree/routing.hpp"
#include "rows.hpp"

namespace pgveil::attack::testing {

namespace {

using namespace policy;
using policy::testing::count;
using policy::testing::Row;
using policy::testing::Table;
using policy::testing::Text;

using Splits = std::vector<std::tuple<std::uint32_t, std::string, bool>>;
using Known = std::tuple<Splits, std::vector<std::uint64_t>, std::vector<std::vector<std::uint64_t>>>;

Known known_of(const Knowledge& knowledge) {
  Splits splits;
  for (const Node& node : knowledge.tree.nodes)
    splits.emplace_back(node.split ? node.split->attribute + 1 : 0, node.split ? node.split->value : "",
                        node.falls_back);
  std::vector<std::vector<std::uint64_t>> totals;
  for (const Column& column : knowledge.columns) totals.push_back(column.totals);
  return {splits, knowledge.class_rows, totals};
}

using Cell = std::pair<NodeIndex, std::uint32_t>;  // of a class, and an attribute that it hides

// A table, its tree, and what an attacker knows of both.
struct Grown {
  Table table;
  Counts counts;
  DisclosureTree tree;
  Knowledge knowledge;
};

struct Group {
  std::vector<Grown> tables;
  std::map<Cell, std::set<std::string>> possible;
};

void add_possible(const DisclosureTree& tree, const Table& table, Group& group) {
  for (const Row& row : table.rows) {
    const NodeIndex leaf = leaf_of(tree, policy::testing::view(row));
    const auto shown = policy::testing::shown(tree, row);
    for (std::uint32_t a = 0; a < shown.size(); ++a) {
      if (!shown[a] && row.values[a]) group.possible[{leaf, a}].insert(*row.values[a]);
    }
  }
}

struct Study {
  std::uint64_t tables = 0;
  std::uint64_t hidden = 0;
  std::uint64_t certain = 0;         // cells, by the definition
  std::uint64_t certain_beside = 0;  // of these, in classes that show anything
  std::uint64_t measured = 0;        // cells that policy/tree/disclosure.hpp counts as computable
  std::uint64_t claimed = 0;         // cells, by the library
  std::uint64_t wrong_claims = 0;    // claims of cells that are not certain, or of another value
  std::uint64_t not_settled = 0;     // groups for which the solver was not there, or did not settle all
  std::uint64_t narrow_bounds = 0;   // tables that are outside of the library's bounds
};

bool is_within(const Knowledge& known, const Counts& counts) {
  const auto chains = chains_of(known.tree);
  const CountsView view(counts);
  const auto ends = path_ends_of(known.tree, chains, view);
  const auto sizes = node_sizes(known);
  const auto true_sizes = recount(known.tree, counts);
  for (NodeIndex i = 0; i < sizes.size(); ++i) {
    const auto rows = static_cast<std::int64_t>(true_sizes[i].rows);
    if (rows < sizes[i].least || rows > sizes[i].most) return false;
  }
  for (const Column& column : known.columns) {
    const auto bounds = bounds_of(known, column, sizes);
    for (NodeIndex i = 0; i < sizes.size(); ++i) {
      if (known.tree.nodes[i].split) continue;
      for (std::size_t v = 0; v < column.atoms.size(); ++v) {
        std::int64_t rows = 0;
        for (const std::uint32_t entry : view.entries()) {
          if (ends[entry] != i) continue;
          bool has_atom = true;
          for (std::size_t n = 0; n < column.attributes.size(); ++n) {
            const Code code = view.codes(column.attributes[n])[entry];
            const auto text = code == kNullCode ? Text{} : Text{view.text(column.attributes[n], code)};
            has_atom = has_atom && text == column.atoms[v][n];
          }
          if (has_atom) rows += static_cast<std::int64_t>(view.rows(entry));
        }
        if (rows < bounds.at(i, v).least || rows > bounds.at(i, v).most) return false;
      }
    }
  }
  return true;
}

bool is_long() {
  return std::getenv("PGVEIL_LONG") != nullptr;
}

// A solver is made for each group that is attacked, which takes minutes with the sanitizers. So the usual run
// attacks one group in twelve, and ./run test --long unit all of them.
std::size_t groups_for_one_attack() {
  return is_long() ? 1 : 12;
}

// One group in `every` is studied, in the order of what is known.
Study study(const Shape& shape, bool knows_totals, std::size_t every = 1) {
  const auto knowledge_about = [&](const DisclosureTree& tree, const Counts& counts) {
    Knowledge known = knowledge_of(tree, counts, shape.growth, Made::to_the_end);
    return knows_totals ? with_totals(std::move(known), tree, counts) : known;
  };
  std::map<Known, Group> groups;
  Study result;
  for_all_tables(shape, [&](const Table& table) {
    Counts counts = count(table);
    auto tree = build_tree(counts, shape.k, shape.growth).value();
    Knowledge knowledge = knowledge_about(tree, counts);
    Group& group = groups[known_of(knowledge)];
    add_possible(tree, table, group);
    ++result.tables;
    group.tables.push_back({table, std::move(counts), std::move(tree), std::move(knowledge)});
  });
  std::size_t position = 0;
  for (const auto& [known, group] : groups) {
    if (position++ % every != 0) continue;
    for (const auto& [table, counts, tree, knowledge] : group.tables) {
      result.measured += measure(tree, counts).computable;
      for (const Row& row : table.rows) {
        const NodeIndex leaf = leaf_of(tree, policy::testing::view(row));
        const auto shown = policy::testing::shown(tree, row);
        const bool is_blank = std::ranges::none_of(shown, [](const Text& text) { return text.has_value(); });
        for (std::uint32_t a = 0; a < shown.size(); ++a) {
          if (shown[a] || !row.values[a]) continue;
          ++result.hidden;
          if (group.possible.at({leaf, a}).size() > 1) continue;
          ++result.certain;
          result.certain_beside += is_blank ? 0 : 1;
        }
      }
      if (!is_within(knowledge, counts)) ++result.narrow_bounds;
    }
    // All tables of a group look alike to the library.
    const Grown& first = group.tables.front();
    const Findings found = attack_tree(first.knowledge, first.counts);
    result.not_settled += found.exactness == Exactness::settled ? 0 : 1;
    for (const Claim& claim : found.claims) {
      const auto possible = group.possible.find({claim.leaf, claim.attribute});
      if (possible == group.possible.end()) continue;  // NULL in all tables
      if (possible->second.size() != 1 || *possible->second.begin() != claim.value) ++result.wrong_claims;
    }
    for (const Grown& each : group.tables) {
      for (const Row& row : each.table.rows) {
        const NodeIndex leaf = leaf_of(each.tree, policy::testing::view(row));
        for (const Claim& claim : found.claims)
          result.claimed += claim.leaf == leaf && row.values[claim.attribute] == claim.value ? 1 : 0;
      }
    }
  }
  return result;
}

// The same for readers who have the answers only: tables that answer alike, whatever their trees are.
struct AnswersStudy {
  std::uint64_t certain = 0;
  std::uint64_t certain_beside = 0;
  std::uint64_t measured = 0;
};

AnswersStudy study_answers(const Shape& shape) {
  using Shows = std::vector<Text>;
  std::map<std::map<Shows, std::uint64_t>, std::vector<std::vector<std::pair<Shows, Row>>>> alike;
  AnswersStudy result;
  for_all_tables(shape, [&](const Table& table) {
    const Counts counts = count(table);
    const auto tree = build_tree(counts, shape.k, shape.growth).value();
    result.measured += measure(tree, counts).computable;
    std::vector<std::pair<Shows, Row>> rows;
    std::map<Shows, std::uint64_t> answer;
    for (const Row& row : table.rows) {
      rows.emplace_back(policy::testing::shown(tree, row), row);
      ++answer[rows.back().first];
    }
    alike[answer].push_back(std::move(rows));
  });
  for (const auto& [answer, tables] : alike) {
    std::map<std::pair<Shows, std::size_t>, std::set<std::string>> possible;
    const auto for_hidden = [&](const auto& visit) {
      for (const auto& rows : tables) {
        for (const auto& [shows, row] : rows) {
          for (std::size_t a = 0; a < shows.size(); ++a) {
            if (!shows[a] && row.values[a]) visit(shows, a, *row.values[a]);
          }
        }
      }
    };
    for_hidden([&](const Shows& shows, std::size_t a, const std::string& value) {
      possible[{shows, a}].insert(value);
    });
    for_hidden([&](const Shows& shows, std::size_t a, const std::string&) {
      if (possible.at({shows, a}).size() > 1) return;
      ++result.certain;
      const bool is_blank = std::ranges::none_of(shows, [](const Text& text) { return text.has_value(); });
      result.certain_beside += is_blank ? 0 : 1;
    });
  }
  return result;
}

std::vector<Shape> shapes() {
  return {{{2, 3}, 8, 2},       {{3, 3}, 7, 2},       {{2, 2, 2}, 7, 2},           {{2, 4}, 7, 3},
          {{3, 2}, 7, 2, true}, {{2, 2}, 8, 3, true}, {{4, 2}, 7, 2, false, true}, {{5}, 10, 2, false, true}};
}

std::string name_of(const Shape& shape) {
  std::string name = "k " + std::to_string(shape.k) + ", rows " + std::to_string(shape.rows) + ", columns of";
  for (const std::size_t width : shape.widths) name += " " + std::to_string(width);
  return name + (shape.has_nulls ? ", NULL" : "") + (shape.has_levels ? ", levels" : "") +
         (shape.growth.priority.empty() ? "" : ", priority") +
         (shape.growth.weights.empty() ? "" : ", weight") + (shape.growth.max_cohorts ? ", max_cohorts" : "");
}

void check_sound(const Shape& shape, const Study& found) {
  CAPTURE(name_of(shape));
  CHECK(found.wrong_claims == 0);
  CHECK(found.narrow_bounds == 0);
  CHECK(found.claimed <= found.certain);
  // What the cut for max_cohorts tells is not used.
  if (found.not_settled == 0 && !shape.growth.max_cohorts) CHECK(found.claimed == found.certain);
}

std::vector<Shape> with_growths(Strategy strategy) {
  std::vector<Shape> all;
  for (Shape shape : shapes()) {
    shape.growth.strategy = strategy;
    all.push_back(shape);
    if (shape.widths.size() < 2 || shape.rows > 8 || shape.widths[0] == 3) continue;
    if (!is_long() && shape.widths != std::vector<std::size_t>{2, 2, 2} && !shape.has_nulls) continue;
    shape.growth.priority = {"c1"};
    all.push_back(shape);
    shape.growth.priority.clear();
    shape.growth.weights = {{"c1", 3}};
    all.push_back(shape);
    shape.growth.weights.clear();
    shape.growth.max_cohorts = 3;
    all.push_back(shape);
  }
  return all;
}

}  // namespace

TEST_CASE("greedy: claims are certain by the definition") {
  for (const Shape& shape : with_growths(Strategy::greedy)) {
    const Study found = study(shape, false, groups_for_one_attack());
    check_sound(shape, found);
    if (!shape.has_nulls) {
      CHECK(found.claimed == found.certain);  // the bounds alone are complete here
      CHECK(found.certain == found.measured);
    }
  }
}

TEST_CASE("thorough: nothing is certain where a class shows anything") {
  for (const Shape& shape : with_growths(Strategy::thorough)) {
    const Study found = study(shape, false, groups_for_one_attack());
    check_sound(shape, found);
    if (!shape.has_nulls) CHECK(found.certain_beside == 0);
  }
}

TEST_CASE("thorough: what readers of answers alone can be certain of is in the blank class, too") {
  for (const Shape& shape : with_growths(Strategy::thorough)) {
    const AnswersStudy found = study_answers(shape);
    CAPTURE(name_of(shape));
    CHECK(found.certain > 0);
    if (!shape.has_nulls) CHECK(found.certain_beside == 0);
  }
}

TEST_CASE("somebody who knows the totals of each column claims nothing that is not certain") {
  for (const Strategy strategy : {Strategy::greedy, Strategy::thorough}) {
    for (Shape shape : shapes()) {
      shape.growth.strategy = strategy;
      const Study found = study(shape, true, groups_for_one_attack());
      check_sound(shape, found);
    }
  }
}

TEST_CASE("the figures of docs/attack-model.md: cells that are certain and not measured as computable") {
  const Shape plain{{2, 2, 2}, 7, 2};
  Shape ordered = plain;
  ordered.growth.priority = {"c1"};
  const Study with_tree = study(plain, false);
  CHECK(with_tree.hidden == 26'608);
  CHECK(with_tree.certain == 3'808);
  CHECK(with_tree.measured == 3'040);
  const Study with_order = study(ordered, false);
  CHECK(with_order.hidden == 31'192);
  CHECK(with_order.certain == 6'256);
  CHECK(with_order.measured == 3'416);
  CHECK(study_answers(plain).certain == 3'064);
  CHECK(study_answers(ordered).certain == 3'976);
  const Study with_null = study({{3, 2}, 7, 2, true}, false);
  CHECK(with_null.hidden == 15'537);
  CHECK(with_null.certain_beside == 330);
}

TEST_CASE("the smallest table of the default policy with a computable cell beside the blank class has NULL") {
  // docs/attack-model.md quotes it. Two rows show c0 = 1 and hide c1, which has the values 0 and 1, and NULL.
  const Table table{{"c0", "c1"},
                    false,
                    {{{"0", "0"}}, {{"0", "0"}}, {{"1", "0"}}, {{"1", "1"}}, {{"1", "1"}}, {{"1", Text{}}}}};
  const Growth growth;
  const Counts counts = count(table);
  const auto tree = build_tree(counts, 2, growth).value();
  const Findings found = attack_tree(knowledge_of(tree, counts, growth, Made::unknown), counts);
  const auto claim = std::ranges::find(found.claims, 1U, &Claim::attribute);
  REQUIRE(claim != found.claims.end());
  CHECK(claim->value == "0");
  CHECK(claim->true_rows == 1);
  CHECK(claim->wrong_rows == 0);
  CHECK(found.attributes[1].computed == 1);
  CHECK(found.attributes[1].computed_in_blank == 0);
}

}  // namespace pgveil::attack::testing
