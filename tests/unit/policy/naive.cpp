#include "naive.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace pgveil::policy::testing {

using Rows = std::vector<const Row*>;

std::uint64_t units_in(const Table& table, const Rows& rows) {
  if (!table.has_units) return rows.size();
  std::set<std::string> units;
  for (const Row* row : rows) {
    if (row->unit) units.insert(*row->unit);
  }
  return units.size();
}

namespace {

struct Sides {
  Rows with;
  Rows without;
};

Sides divide(const Rows& rows, std::size_t attribute, const std::string& value) {
  Sides sides;
  for (const Row* row : rows) (row->values[attribute] == value ? sides.with : sides.without).push_back(row);
  return sides;
}

void grow(const Table& table, const Rows& rows, std::set<std::size_t> released, DisclosureTree& tree) {
  const std::size_t index = tree.nodes.size();
  tree.nodes.push_back({std::nullopt, 0, 0, rows.size(), units_in(table, rows)});
  std::optional<Split> best;
  std::uint64_t best_units = 0;
  for (std::uint32_t a = 0; a < table.attributes.size(); ++a) {
    if (released.contains(a)) continue;
    std::set<std::string> values;  // ascending: the first of equals wins
    for (const Row* row : rows) {
      if (row->values[a]) values.insert(*row->values[a]);
    }
    for (const std::string& value : values) {
      const Sides sides = divide(rows, a, value);
      const std::uint64_t with = units_in(table, sides.with);
      if (with < tree.k || units_in(table, sides.without) < tree.k || with <= best_units) continue;
      best = Split{a, value};
      best_units = with;
    }
  }
  if (!best) return;
  const Sides sides = divide(rows, best->attribute, best->value);
  tree.nodes[index].split = best;
  tree.nodes[index].yes = static_cast<NodeIndex>(tree.nodes.size());
  auto released_on_yes = released;
  released_on_yes.insert(best->attribute);
  grow(table, sides.with, released_on_yes, tree);
  tree.nodes[index].no = static_cast<NodeIndex>(tree.nodes.size());
  grow(table, sides.without, released, tree);
}

}  // namespace

DisclosureTree naive_tree(const Table& table, std::uint64_t k) {
  DisclosureTree tree;
  tree.k = k;
  for (std::size_t a = 0; a < table.attributes.size(); ++a) {
    tree.attributes.push_back({table.attributes[a], static_cast<int>(2 * a + 2)});
  }
  Rows all;
  for (const Row& row : table.rows) all.push_back(&row);
  grow(table, all, {}, tree);
  return tree;
}

std::vector<Rows> naive_rows_by_node(const DisclosureTree& tree, const Table& table) {
  std::vector<Rows> rows(tree.nodes.size());
  for (const Row& row : table.rows) {
    NodeIndex at = 0;
    while (true) {
      rows[at].push_back(&row);
      const Node& node = tree.nodes[at];
      if (!node.split) break;
      at = row.values[node.split->attribute] == node.split->value ? node.yes : node.no;
    }
  }
  return rows;
}

Disclosure naive_disclosure(const DisclosureTree& tree, const Table& table) {
  const std::size_t attribute_count = table.attributes.size();
  Disclosure result;
  Rows all;
  for (const Row& row : table.rows) all.push_back(&row);
  result.rows = all.size();
  result.units = units_in(table, all);
  result.cells = result.rows * attribute_count;
  result.disclosed_by_attribute.assign(attribute_count, 0);
  result.disclosed_or_implied_by_attribute.assign(attribute_count, 0);
  std::vector<std::set<std::string>> domain(attribute_count);
  for (const Row& row : table.rows) {
    for (std::size_t a = 0; a < attribute_count; ++a) {
      if (row.values[a]) domain[a].insert(*row.values[a]);
    }
  }
  const auto by_node = naive_rows_by_node(tree, table);
  for (const Cohort& cohort : cohorts(tree)) {
    const Rows& rows = by_node[cohort.leaf];
    const std::uint64_t units = units_in(table, rows);
    result.smallest_cohort = result.cohorts == 0 ? units : std::min(result.smallest_cohort, units);
    ++result.cohorts;
    for (std::size_t a = 0; a < attribute_count; ++a) {
      std::set<std::string> left = domain[a];
      for (const PathStep& step : cohort.path) {
        if (step.attribute == a && !step.has_value) left.erase(step.value);
      }
      std::set<Text> present;
      for (const Row* row : rows) present.insert(row->values[a]);
      const bool is_uniform = present.size() == 1 && present.begin()->has_value();
      const bool is_disclosed =
          std::find(cohort.disclosed.begin(), cohort.disclosed.end(), a) != cohort.disclosed.end();
      for (const Row* row : rows) {
        if (!row->values[a]) continue;
        if (is_disclosed) ++result.disclosed_by_attribute[a];
        if (is_disclosed || is_uniform || left.size() == 1) ++result.disclosed_or_implied_by_attribute[a];
      }
    }
  }
  for (std::size_t a = 0; a < attribute_count; ++a) {
    result.disclosed += result.disclosed_by_attribute[a];
    result.disclosed_or_implied += result.disclosed_or_implied_by_attribute[a];
  }
  return result;
}

}  // namespace pgveil::policy::testing
