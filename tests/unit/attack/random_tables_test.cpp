// A property of the default strategy, on 500 drawn tables and every kind of growth: beside the class that
// shows nothing, no hidden cell of a fresh tree can be computed. Trees that were repaired or rebuilt after
// the rows changed, and NULL, are the exceptions that docs/attack-model.md describes with numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "attack/findings.hpp"
#include "policy/release/lineage.hpp"
#include "policy/tree/tree.hpp"
#include "rows.hpp"

namespace pgveil::attack::testing {
namespace {

using namespace policy;
using policy::testing::count;
using policy::testing::Row;
using policy::testing::Table;
using policy::testing::Text;

struct Found {
  std::uint64_t trees = 0, hidden = 0, beside = 0, in_blank = 0, wrong = 0;
};

void attack(const DisclosureTree& tree, const Counts& counts, const Growth& growth, Made made, Effort effort,
            Found& found) {
  const Findings one = attack_tree(knowledge_of(tree, counts, growth, made), counts, effort);
  ++found.trees;
  found.wrong += one.wrong();
  found.hidden += one.hidden();
  for (const AttributeFindings& it : one.attributes) {
    found.beside += it.computed - it.computed_in_blank;
    found.in_blank += it.computed_in_blank;
  }
}

void remove_nulls(Table& table) {
  for (Row& row : table.rows) {
    for (std::size_t a = 0; a < row.values.size(); ++a) {
      if (!row.values[a] && table.level_of(a) == nullptr) row.values[a] = "0";
    }
    policy::testing::fill_levels(table, row);
  }
}

std::vector<Growth> growths(const Table& table, std::mt19937_64& random) {
  std::vector<Growth> all(1);
  const auto column = [&] {
    std::string name;
    do name = table.attributes[random() % table.attributes.size()];
    while (name.starts_with("n0_") || name.starts_with("n1_"));
    return name;
  };
  Growth growth;
  growth.priority = {column()};
  all.push_back(growth);
  growth.priority.clear();
  growth.weights = {{column(), 1 + random() % 9}};
  all.push_back(growth);
  growth.weights.clear();
  growth.max_cohorts = 1 + random() % 6;
  all.push_back(growth);
  return all;
}

// Some rows leave and others come, as in a table that lives.
Table changed(const Table& table, const Table& others, std::mt19937_64& random) {
  Table made = table;
  std::erase_if(made.rows, [&](const Row&) { return random() % 5 == 0; });
  for (const Row& row : others.rows) {
    if (row.values.size() == table.attributes.size() && random() % 3 == 0) made.rows.push_back(row);
  }
  return made;
}

struct FoundAll {
  Found fresh, repaired, rebuilt;
};

FoundAll attack_drawn_tables(std::uint64_t seed, std::size_t tables, bool has_levels, bool keeps_nulls) {
  std::mt19937_64 random(seed);
  FoundAll found;
  const policy::testing::RandomShape shape{60, 5, 6};
  const auto draw = [&] {
    Table table = has_levels ? policy::testing::random_leveled_table(random, shape)
                             : policy::testing::random_table(random, shape);
    if (!keeps_nulls) remove_nulls(table);
    return table;
  };
  for (std::size_t i = 0; i < tables; ++i) {
    const Table table = draw(), others = draw();
    const Counts counts = count(table, i);
    const std::uint64_t k = 2 + random() % 4;
    for (const Growth& growth : growths(table, random)) {
      const auto tree = build_tree(counts, k, growth);
      if (!tree) continue;  // fewer than k rows
      CAPTURE(seed);
      CAPTURE(i);
      // The solver takes long, so it attacks one table in twenty-five.
      attack(*tree, counts, growth, growth.max_cohorts ? Made::by_choice : Made::to_the_end,
             i % 25 == 0 ? Effort::exact : Effort::bounds, found.fresh);
      const Table later = changed(table, others, random);
      if (later.rows.size() < k) continue;
      const Counts now = count(later, i);
      if (const auto repaired = repair(*tree, now))
        attack(repaired->tree, now, growth, Made::unknown, Effort::bounds, found.repaired);
      const Lineage lineage = continued(nullptr, 1, *tree, counts);
      if (const auto rebuilt = rebuild(*tree, lineage, now, growth))
        attack(rebuilt->tree, now, growth, Made::unknown, Effort::bounds, found.rebuilt);
    }
  }
  return found;
}

void say(const char* what, const Found& found) {
  MESSAGE(std::string(what), ": ", found.trees, " trees, ", found.hidden,
          " hidden cells, computed: ", found.beside, " beside and ", found.in_blank,
          " in the class that shows nothing");
}

void check_true(const FoundAll& all) {
  for (const Found* found : {&all.fresh, &all.repaired, &all.rebuilt}) CHECK(found->wrong == 0);
  say("fresh", all.fresh);
  say("repaired", all.repaired);
  say("rebuilt", all.rebuilt);
}

}  // namespace

TEST_CASE("drawn tables: no cell of a fresh tree is computed beside the class that shows nothing") {
  for (const bool has_levels : {false, true}) {
    const FoundAll found = attack_drawn_tables(has_levels ? 11 : 7, 250, has_levels, false);
    check_true(found);
    CHECK(found.fresh.trees > 900);
    CHECK(found.fresh.hidden > 20'000);
    CHECK(found.fresh.beside == 0);
    // A value that left the table may leave one that is certain in a class that no longer splits.
    for (const Found* later : {&found.repaired, &found.rebuilt}) {
      CHECK(later->trees > 900);
      CHECK(later->beside * 5'000 < later->hidden);
    }
  }
}

TEST_CASE("drawn tables with NULL: every claim is true") {
  for (const bool has_levels : {false, true})
    check_true(attack_drawn_tables(has_levels ? 5 : 3, 100, has_levels, true));
}

}  // namespace pgveil::attack::testing
