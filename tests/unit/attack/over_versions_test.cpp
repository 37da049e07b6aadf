// Readers who kept the answers of two versions over the same rows, against the definition: every table of a
// few rows is grouped by what they know of it, which is both trees and how many rows are in each joint class.
// A cell is certain if all tables of a group have one value in it.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "all_tables.hpp"
#include "attack/over_versions.hpp"
#include "policy/tree/tree.hpp"
#include "rows.hpp"

namespace pgveil::attack::testing {
namespace {

using namespace policy;
using policy::testing::count;
using policy::testing::Row;
using policy::testing::Table;

using Joint = std::pair<NodeIndex, NodeIndex>;
using Seen = std::tuple<DisclosureTree, DisclosureTree, std::map<Joint, std::uint64_t>>;

DisclosureTree without_counts(DisclosureTree tree) {
  for (Node& node : tree.nodes) node.rows = node.units = 0;
  return tree;
}

bool is_before(const DisclosureTree& a, const DisclosureTree& b) {
  const auto key = [](const DisclosureTree& tree) {
    std::vector<std::tuple<std::uint32_t, std::string, bool>> nodes;
    for (const Node& node : tree.nodes)
      nodes.emplace_back(node.split ? node.split->attribute + 1 : 0, node.split ? node.split->value : "",
                         node.falls_back);
    return nodes;
  };
  return key(a) < key(b);
}

struct Before {
  bool operator()(const Seen& a, const Seen& b) const {
    const auto& [a1, a2, a3] = a;
    const auto& [b1, b2, b3] = b;
    if (is_before(a1, b1) || is_before(b1, a1)) return is_before(a1, b1);
    if (is_before(a2, b2) || is_before(b2, a2)) return is_before(a2, b2);
    return a3 < b3;
  }
};

struct Versions {
  Growth now;
  Growth before;
  std::uint64_t k = 2;
};

struct StudyOfTwo {
  std::uint64_t certain = 0, shown_before = 0, small_classes = 0;  // by the definition
  OverVersions found;                                              // the sums of all tables
};

Joint joint_of(const Seen& seen, const Row& row) {
  const auto values = policy::testing::view(row);
  return {leaf_of(std::get<0>(seen), values), leaf_of(std::get<1>(seen), values)};
}

Seen seen_of(const Table& table, const Versions& versions) {
  const Counts counts = count(table);
  Seen seen{without_counts(build_tree(counts, versions.k, versions.now).value()),
            without_counts(build_tree(counts, versions.k, versions.before).value()),
            {}};
  for (const Row& row : table.rows) ++std::get<2>(seen)[joint_of(seen, row)];
  return seen;
}

StudyOfTwo study_two(const Shape& shape, const Versions& versions, Made made) {
  std::map<Seen, std::vector<Table>, Before> groups;
  for_all_tables(shape, [&](const Table& table) { groups[seen_of(table, versions)].push_back(table); });
  StudyOfTwo result;
  for (const auto& [seen, tables] : groups) {
    const auto& [now, before, classes] = seen;
    std::map<std::pair<Joint, std::size_t>, std::set<std::string>> possible;
    for (const Table& table : tables) {
      for (const Row& row : table.rows) {
        for (std::size_t a = 0; a < row.values.size(); ++a) {
          if (row.values[a]) possible[{joint_of(seen, row), a}].insert(*row.values[a]);
        }
      }
    }
    for (const Table& table : tables) {
      const Counts counts = count(table);
      const OverVersions found = attack_versions({knowledge_of(now, counts, versions.now, made),
                                                  knowledge_of(before, counts, versions.before, made)},
                                                 counts);
      result.found.claimed += found.claimed;
      result.found.true_cells += found.true_cells;
      result.found.shown_before += found.shown_before;
      result.found.small_classes += found.small_classes;
      for (const auto& [joint, rows] : classes) {
        result.small_classes += rows < versions.k ? 1 : 0;
        if (rows < versions.k) CHECK(found.smallest <= rows);
      }
      for (const Row& row : table.rows) {
        const auto shown_now = policy::testing::shown(now, row);
        const auto shown_then = policy::testing::shown(before, row);
        for (std::size_t a = 0; a < row.values.size(); ++a) {
          if (shown_now[a] || !row.values[a]) continue;
          result.shown_before += shown_then[a] ? 1 : 0;
          if (!shown_then[a] && possible.at({joint_of(seen, row), a}).size() == 1) ++result.certain;
        }
      }
    }
  }
  return result;
}

Growth first(const char* column) {
  Growth growth;
  growth.priority = {column};
  return growth;
}

}  // namespace

TEST_CASE("two versions over the same rows: joint classes, cells shown before, and claims that are certain") {
  std::uint64_t claimed = 0;
  std::uint64_t small = 0;
  for (const Shape& shape : {Shape{{2, 3}, 7, 2}, Shape{{2, 2, 2}, 6, 2}, Shape{{3, 2}, 6, 2, true},
                             Shape{{4, 2}, 6, 2, false, true}}) {
    for (const Strategy strategy : {Strategy::greedy, Strategy::thorough}) {
      Versions versions{first("c0"), first("c1"), shape.k};
      versions.now.strategy = versions.before.strategy = strategy;
      for (const Made made : {Made::unknown, Made::to_the_end}) {
        const StudyOfTwo found = study_two(shape, versions, made);
        CAPTURE(shape.rows);
        CAPTURE(shape.widths.size());
        CHECK(found.found.small_classes == found.small_classes);
        CHECK(found.found.shown_before == found.shown_before);
        CHECK(found.found.claimed == found.found.true_cells);
        CHECK(found.found.claimed <= found.certain);
        claimed += found.found.claimed;
        small += found.small_classes;
      }
    }
  }
  CHECK(claimed > 0);
  CHECK(small > 0);
}

TEST_CASE("a version that another one extends has no joint class of its own") {
  Table table{{"job", "sex"}, false, {}};
  for (int i = 0; i < 12; ++i) table.rows.push_back({{i < 6 ? "farmer" : "priest", i % 2 == 0 ? "f" : "m"}});
  const Counts counts = count(table);
  const DisclosureTree before = build_tree(counts, 2, first("job")).value();
  Table later = table;
  std::erase_if(later.rows, [](const Row& row) { return row.values[0] == "farmer"; });
  later.rows.push_back({{"farmer", "f"}});
  const Counts now = count(later);
  const DisclosureTree repaired = repair(before, now).value().tree;
  REQUIRE(repaired.nodes != before.nodes);
  CHECK(classes_of_their_own(repaired, before, now) == 0);
  CHECK(classes_of_their_own(build_tree(counts, 5, first("sex")).value(), before, counts) > 0);
}

}  // namespace pgveil::attack::testing
