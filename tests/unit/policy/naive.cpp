#include "naive.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "policy/level/preimage.hpp"

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

// Value → how many units have it. A unit with two values counts for both.
std::map<std::string, double> naive_frequencies(const Table& table, const Rows& rows) {
  std::map<std::string, Rows> having;
  for (const Row* row : rows) {
    if (row->sensitive) having[*row->sensitive].push_back(row);
  }
  std::map<std::string, double> frequencies;
  for (const auto& [value, with] : having) {
    if (const auto units = units_in(table, with); units > 0) frequencies[value] = static_cast<double>(units);
  }
  return frequencies;
}

std::map<std::string, double> shares_of(std::map<std::string, double> frequencies) {
  double all = 0;
  for (const auto& [value, frequency] : frequencies) all += frequency;
  for (auto& [value, frequency] : frequencies) frequency /= all;
  return frequencies;
}

// The work of turning one distribution into the other, by carrying shares between values of the table.
double naive_distance(std::map<std::string, double> from, const std::map<std::string, double>& to,
                      Distance distance) {
  std::vector<std::pair<double, double>> heaps;
  for (const auto& [value, share] : to) heaps.emplace_back(from[value], share);
  double work = 0;
  for (std::size_t i = 0, j = 0; i < heaps.size() && j < heaps.size();) {
    double& surplus = heaps[i].first;
    double& missing = heaps[j].second;
    const double carried = std::min(surplus, missing);
    surplus -= carried;
    missing -= carried;
    const double steps = static_cast<double>(i > j ? i - j : j - i) /
                         static_cast<double>(std::max<std::size_t>(2, heaps.size()) - 1);
    if (distance == Distance::ordered) work += carried * steps;
    if (surplus <= 1e-12)
      ++i;
    else if (missing <= 1e-12)
      ++j;
  }
  if (distance == Distance::ordered) return work;
  for (const auto& [value, share] : to) work += std::fabs(from[value] - share) / 2;
  return work;
}

}  // namespace

bool naive_keeps(const Table& table, const Rows& rows, const ConstraintModel& model) {
  const auto frequencies = naive_frequencies(table, rows);
  if (frequencies.empty()) return false;
  if (const auto* distinct = std::get_if<DistinctL>(&model)) return frequencies.size() >= distinct->l;
  if (const auto* entropy = std::get_if<EntropyL>(&model)) {
    double sum = 0;
    for (const auto& [value, share] : shares_of(frequencies)) sum -= share * std::log(share);
    return sum >= std::log(entropy->l) - 1e-8;
  }
  if (const auto* recursive = std::get_if<RecursiveL>(&model)) {
    std::vector<double> descending;
    for (const auto& [value, frequency] : frequencies) descending.push_back(frequency);
    std::ranges::sort(descending, std::greater());
    double tail = 0;
    for (std::size_t i = recursive->l - 1; i < descending.size(); ++i) tail += descending[i];
    return descending.front() < recursive->c * tail;
  }
  const auto& closeness = std::get<TCloseness>(model);
  Rows all;
  for (const Row& row : table.rows) all.push_back(&row);
  return naive_distance(shares_of(frequencies), shares_of(naive_frequencies(table, all)),
                        closeness.distance) <= closeness.t + 1e-8;
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

// What comes first: per attribute its rank among splits, its tier and weight among cells, and per value the
// weight of a split on it.
struct Order {
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint32_t> tiers;
  std::vector<std::int64_t> weights;
  std::function<std::int64_t(std::size_t, const std::string&)> weight_of_value;
};

std::uint32_t half_octaves(std::uint64_t n) {
  std::uint32_t most = 0;
  while ((std::uint64_t{2} << most) <= n * n) ++most;
  return most;
}

Order said_order(const Table& table, const Growth& growth) {
  Order order;
  for (std::size_t a = 0; a < table.attributes.size(); ++a) {
    const Level* level = table.level_of(a);
    const std::string column = level == nullptr ? table.attributes[a] : level->source;
    const auto place = std::ranges::find(growth.priority, column) - growth.priority.begin();
    order.tiers.push_back(static_cast<std::uint32_t>(place));
    order.ranks.push_back(100 * order.tiers.back() + (level == nullptr ? 0 : level->step));
    const auto weight = growth.weights.find(column);
    order.weights.push_back(weight == growth.weights.end() ? 1 : static_cast<std::int64_t>(weight->second));
  }
  order.weight_of_value = [weights = order.weights](std::size_t a, const std::string&) { return weights[a]; };
  return order;
}

Order order_of_turns(const Table& table, const Rows& all, const std::vector<Turn>& turns) {
  Order order;
  for (const Turn& turn : turns) {
    order.ranks.push_back(turn.rank);
    order.tiers.push_back(turn.rank);
    order.weights.push_back(1);
  }
  order.weight_of_value = [&table, all, turns](std::size_t a, const std::string& value) {
    Rows having;
    for (const Row* row : all) {
      if (row->values[a] == value) having.push_back(row);
    }
    const std::uint64_t units = units_in(table, having);
    if (units == 0) return std::int64_t{1};
    const auto rareness = static_cast<int>(half_octaves(units_in(table, all)) - half_octaves(units));
    const auto exponent =
        static_cast<int>(8 + turns[a].favour) + static_cast<int>(turns[a].rarity) * rareness / 4;
    const std::int64_t weight = std::int64_t{1} << exponent;
    return turns[a].is_by_cost ? std::max<std::int64_t>(1, weight / std::max(1, rareness)) : weight;
  };
  return order;
}

template <class Score>
std::optional<Split> best_split_at(const Table& table, const Rows& rows,
                                   const std::set<std::size_t>& released, const Order& order,
                                   std::uint32_t rank, Score score) {
  std::optional<Split> best;
  std::int64_t most = 0;
  for (std::uint32_t a = 0; a < table.attributes.size(); ++a) {
    if (released.contains(a) || order.ranks[a] != rank) continue;
    std::set<std::string> values;  // ascending: the first of equals wins
    for (const Row* row : rows) {
      if (row->values[a]) values.insert(*row->values[a]);
    }
    for (const std::string& value : values) {
      const Sides sides = divide(rows, a, value);
      const std::int64_t points = score(a, value, sides);
      if (points <= most) continue;
      best = Split{a, value};
      most = points;
    }
  }
  return best;
}

// Of the candidates that `score` gives more than 0 the one with most; among equals the first by column and
// text. What has an earlier rank comes before.
template <class Score>
std::optional<Split> best_split(const Table& table, const Rows& rows, const std::set<std::size_t>& released,
                                const Order& order, Score score) {
  for (const std::uint32_t rank : std::set<std::uint32_t>(order.ranks.begin(), order.ranks.end())) {
    if (auto best = best_split_at(table, rows, released, order, rank, score)) return best;
  }
  return std::nullopt;
}

struct Grower {
  const Table& table;
  Strategy strategy;
  DisclosureTree& tree;
  const Order& order;
  const std::vector<ConstraintModel>& refine;

  [[nodiscard]] bool keeps_all(const Rows& rows) const {
    return std::ranges::all_of(refine, [&](const auto& model) { return naive_keeps(table, rows, model); });
  }

  [[nodiscard]] std::int64_t units(const Rows& rows) const {
    return static_cast<std::int64_t>(units_in(table, rows));
  }

  [[nodiscard]] std::optional<Split> plain(const Rows& rows, const std::set<std::size_t>& released) const {
    const auto k = static_cast<std::int64_t>(tree.k);
    return best_split(table, rows, released, order,
                      [&](std::size_t a, const auto& value, const Sides& sides) {
                        const bool is_candidate = units(sides.with) >= k && units(sides.without) >= k &&
                                                  keeps_all(sides.with) && keeps_all(sides.without);
                        return is_candidate ? units(sides.with) * order.weight_of_value(a, value) : 0;
                      });
  }

  // Per tier what a row loses, by weight.
  using Lost = std::map<std::uint32_t, std::int64_t>;

  // The last split of a chain whose other side falls back and so loses `lost` per row. Only the first tier
  // counts in which something is won or lost.
  [[nodiscard]] std::optional<Split> closing(const Rows& rows, const std::set<std::size_t>& released,
                                             const Lost& lost) const {
    if (strategy == Strategy::greedy || lost.empty()) return std::nullopt;
    return best_split(table, rows, released, order, [&](std::size_t a, const auto&, const Sides& sides) {
      if (units(sides.with) < static_cast<std::int64_t>(tree.k)) return std::int64_t{0};
      Lost net{{order.tiers[a], static_cast<std::int64_t>(sides.with.size()) * order.weights[a]}};
      for (const auto& [tier, weight] : lost)
        net[tier] -= weight * static_cast<std::int64_t>(sides.without.size());
      for (const auto& [tier, won] : net) {
        if (won != 0) return won;
      }
      return std::int64_t{0};
    });
  }

  // A whole chain at once: whether it falls back is known only at its end, and matters to what hangs from it.
  void chain(Rows rows, const std::set<std::size_t>& released, const Lost& lost) {
    std::vector<std::pair<Split, Rows>> arms;
    std::vector<Rows> left = {rows};
    const auto take = [&](const Split& split) {
      Sides sides = divide(left.back(), split.attribute, split.value);
      arms.emplace_back(split, std::move(sides.with));
      left.push_back(std::move(sides.without));
    };
    while (const auto split = plain(left.back(), released)) take(*split);
    const auto last = closing(left.back(), released, lost);
    if (last) take(*last);
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const std::size_t index = add(left[i]);
      tree.nodes[index].split = arms[i].first;
      tree.nodes[index].yes = static_cast<NodeIndex>(tree.nodes.size());
      auto released_on_yes = released;
      released_on_yes.merge(with_coarser(tree.attributes, arms[i].first.attribute));
      Lost lost_below = last ? lost : Lost{};
      lost_below[order.tiers[arms[i].first.attribute]] += order.weights[arms[i].first.attribute];
      chain(arms[i].second, released_on_yes, lost_below);
      tree.nodes[index].no = static_cast<NodeIndex>(tree.nodes.size());
    }
    tree.nodes[add(left.back())].falls_back = last.has_value();
  }

  std::size_t add(const Rows& rows) const {
    tree.nodes.push_back({std::nullopt, 0, 0, rows.size(), units_in(table, rows)});
    return tree.nodes.size() - 1;
  }
};

}  // namespace

DisclosureTree naive_tree(const Table& table, std::uint64_t k, Strategy strategy,
                          const std::vector<ConstraintModel>& refine) {
  return naive_tree(table, k, Growth{.strategy = strategy}, {}, refine);
}

DisclosureTree naive_tree(const Table& table, std::uint64_t k, const Growth& growth,
                          const std::vector<Turn>& turns, const std::vector<ConstraintModel>& refine) {
  DisclosureTree tree;
  tree.turns = turns;
  tree.k = k;
  for (std::size_t a = 0; a < table.attributes.size(); ++a) {
    tree.attributes.push_back({table.attributes[a], static_cast<int>(2 * a + 2)});
    if (const Level* level = table.level_of(a)) tree.attributes.back().level = *level;
  }
  Rows all;
  for (const Row& row : table.rows) all.push_back(&row);
  const Order order = turns.empty() ? said_order(table, growth) : order_of_turns(table, all, turns);
  Grower{table, growth.strategy, tree, order, refine}.chain(all, {}, {});
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

std::map<std::vector<Text>, Rows> naive_classes(const DisclosureTree& tree, const Table& table) {
  std::map<std::vector<Text>, Rows> classes;
  for (const Row& row : table.rows) classes[shown(tree, row)].push_back(&row);
  return classes;
}

namespace {

// All rows that can be made of the values that each column has, NULL included where it has one.
std::vector<Row> possible_rows(const Table& table) {
  std::vector<Row> rows(1);
  rows.front().values.resize(table.attributes.size());
  for (std::size_t a = 0; a < table.attributes.size(); ++a) {
    if (table.level_of(a) != nullptr) continue;
    std::set<Text> values;
    for (const Row& row : table.rows) values.insert(row.values[a]);
    std::vector<Row> longer;
    for (const Row& row : rows) {
      for (const Text& value : values) {
        longer.push_back(row);
        longer.back().values[a] = value;
      }
    }
    rows = std::move(longer);
  }
  for (Row& row : rows) fill_levels(table, row);
  return rows;
}

bool falls_back(const DisclosureTree& tree, const Row& row) {
  NodeIndex at = 0;
  while (const auto& split = tree.nodes[at].split) {
    at = row.values[split->attribute] == split->value ? tree.nodes[at].yes : tree.nodes[at].no;
  }
  return tree.nodes[at].falls_back;
}

// Of each class, all rows that a reader has to reckon with: first those of its own path, then those that fall
// back to it.
using Possible = std::map<std::vector<Text>, std::pair<std::vector<Row>, std::vector<Row>>>;
Possible possible_by_class(const DisclosureTree& tree, const Table& table) {
  Possible possible;
  for (Row& row : possible_rows(table)) {
    auto& [own, falling] = possible[shown(tree, row)];
    (falls_back(tree, row) ? falling : own).push_back(std::move(row));
  }
  return possible;
}

std::set<std::string> values_of(const std::vector<Row>& rows, std::size_t a) {
  std::set<std::string> values;
  for (const Row& row : rows) {
    if (row.values[a]) values.insert(*row.values[a]);
  }
  return values;
}

}  // namespace

std::vector<Text> tuple_of(const DisclosureTree& tree, const Cohort& cohort) {
  std::vector<Text> tuple(tree.attributes.size());
  for (const PathStep& step : cohort.path) {
    if (!step.has_value) continue;
    for (const std::size_t a : with_coarser(tree.attributes, step.attribute)) {
      const auto& from = tree.attributes[step.attribute].level;
      const auto& to = tree.attributes[a].level;
      tuple[a] = a == step.attribute ? Text{step.value}
                                     : level_value(*to, from ? sample_of(*from, step.value) : step.value);
    }
  }
  return tuple;
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
  result.computable_by_attribute.assign(attribute_count, 0);
  result.equal_by_attribute.assign(attribute_count, 0);
  const auto classes = naive_classes(tree, table);
  const Possible possible = possible_by_class(tree, table);
  for (const Cohort& cohort : cohorts(tree)) {
    const auto tuple = tuple_of(tree, cohort);
    const auto found = classes.find(tuple);
    const Rows rows = found == classes.end() ? Rows{} : found->second;
    const std::uint64_t units = units_in(table, rows);
    result.smallest_cohort = result.cohorts == 0 ? units : std::min(result.smallest_cohort, units);
    ++result.cohorts;
    const auto reckoned = possible.find(tuple);
    for (std::size_t a = 0; a < attribute_count; ++a) {
      std::set<std::string> left;
      if (reckoned != possible.end()) {
        left = values_of(reckoned->second.first, a);
        if (units > tree.k) left.merge(values_of(reckoned->second.second, a));
      }
      std::set<Text> present;
      for (const Row* row : rows) present.insert(row->values[a]);
      const bool is_uniform = present.size() == 1 && present.begin()->has_value();
      present.erase(std::nullopt);
      left.insert(present.empty() ? "" : **present.begin());
      const bool is_computable = left.size() == 1 && present.size() == 1;
      const bool is_disclosed =
          std::find(cohort.disclosed.begin(), cohort.disclosed.end(), a) != cohort.disclosed.end();
      for (const Row* row : rows) {
        if (!row->values[a]) continue;
        auto& by_attribute = is_disclosed    ? result.disclosed_by_attribute
                             : is_computable ? result.computable_by_attribute
                                             : result.equal_by_attribute;
        if (is_disclosed || is_computable || is_uniform) ++by_attribute[a];
      }
    }
  }
  for (std::size_t a = 0; a < attribute_count; ++a) {
    result.disclosed += result.disclosed_by_attribute[a];
    result.computable += result.computable_by_attribute[a];
    result.equal += result.equal_by_attribute[a];
  }
  return result;
}

}  // namespace pgveil::policy::testing
