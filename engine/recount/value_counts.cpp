#include "engine/recount/value_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "engine/privacy/overloaded.hpp"

namespace pgveil::engine {
namespace {

constexpr double kDistanceTolerance = 1e-9;  // for shares and logarithms
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double records_of(const ValueCounts& values) {
  double sum = 0;
  for (const auto& [value, count] : values) sum += static_cast<double>(count);
  return sum;
}

double share(const ValueCounts& values, const ValueText& value, double records) {
  const auto found = values.find(value);
  return found == values.end() ? 0 : static_cast<double>(found->second) / records;
}

std::optional<double> number_of(const ValueText& value, const std::optional<std::string>& null_text) {
  if (!value || value == null_text) return -kInfinity;
  double number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc{} || end != value->data() + value->size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

Result<std::vector<ValueText>> in_order(const ValueCounts& in_table, const ValueOrder& order,
                                        const std::optional<std::string>& null_text) {
  std::map<std::string, std::size_t> places;
  const auto* list = std::get_if<std::vector<std::string>>(&order);
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) places.emplace((*list)[i], i);
  const bool is_by_number = list == nullptr && std::get<SortedBy>(order) == SortedBy::number;
  std::vector<std::pair<double, ValueText>> keyed;
  std::size_t outside = 0;
  for (const auto& [value, count] : in_table) {
    std::optional<double> key = 0;
    if (list != nullptr) {
      const auto found = places.find(value ? *value : null_text.value_or(""));
      key = found == places.end() ? std::nullopt : std::optional(static_cast<double>(found->second));
    } else if (is_by_number) {
      key = number_of(value, null_text);
    }
    outside += key ? 0 : 1;
    keyed.emplace_back(key.value_or(0), value ? value : null_text);  // sorted by its text, like the others
  }
  if (outside > 0)
    return invalid_input(fmt::format("{} values have no place in the order", outside),
                         "list all, or order by text");
  std::ranges::sort(keyed);
  std::vector<ValueText> ascending;
  for (const auto& [key, text] : keyed)
    ascending.push_back(text == null_text && !in_table.contains(text) ? ValueText() : text);
  return ascending;
}

Result<std::map<ValueText, std::vector<std::string>>> paths_of(const ValueCounts& in_table,
                                                               const Hierarchy& hierarchy,
                                                               const std::optional<std::string>& null_text) {
  std::map<std::string, const std::vector<std::string>*> rows;
  std::set<std::string> roots;
  for (const auto& row : hierarchy.rows) {
    rows.emplace(row.front(), &row);
    roots.insert(row.back());
  }
  if (roots.size() != 1)
    return invalid_input("the hierarchy has no common root", "add a level with one value for all");
  std::map<ValueText, std::vector<std::string>> paths;
  std::size_t outside = 0;
  for (const auto& [value, count] : in_table) {
    const auto found = rows.find(value ? *value : null_text.value_or(""));
    if (found == rows.end()) {
      ++outside;
    } else {
      paths.emplace(value, std::vector<std::string>(found->second->begin() + 1, found->second->end()));
    }
  }
  if (outside == 0) return paths;
  return invalid_input(fmt::format("{} values are not in the hierarchy", outside), "add them");
}

}  // namespace

Result<ValueTable> ValueTable::make(const ValueCounts& in_table, const std::optional<ValueOrder>& order,
                                    const std::optional<Hierarchy>& hierarchy,
                                    const std::optional<std::string>& null_text) {
  ValueTable made;
  made.in_table_ = in_table;
  made.total_ = records_of(in_table);
  if (order) {
    auto ascending = in_order(in_table, *order, null_text);
    if (!ascending) return ascending.error();
    made.ascending_ = std::move(*ascending);
    made.has_order_ = true;
  }
  if (hierarchy) {
    auto paths = paths_of(in_table, *hierarchy, null_text);
    if (!paths) return paths.error();
    made.paths_ = std::move(*paths);
  }
  return made;
}

double ValueTable::entropy_l(const ValueCounts& values) {
  const double records = records_of(values);
  double product = 1;
  for (const auto& [value, count] : values) {
    const double q = static_cast<double>(count) / records;
    product *= std::pow(q, -q);
  }
  return product;
}

double ValueTable::recursive_c(const ValueCounts& values, std::uint64_t l) {
  if (values.size() < l) return kInfinity;
  std::multiset<std::uint64_t, std::greater<>> descending;
  for (const auto& [value, count] : values) descending.insert(count);
  std::uint64_t place = 0;
  double tail = 0;
  for (const auto count : descending) {
    if (++place >= l) tail += static_cast<double>(count);
  }
  return static_cast<double>(*descending.begin()) / tail;
}

double ValueTable::distance(const ValueCounts& values, Distance distance) const {
  const double records = records_of(values);
  switch (distance) {
    case Distance::equal: {
      double sum = 0, others = 1;  // the share of the values that the class does not have
      for (const auto& [value, count] : values) {
        const double p = share(in_table_, value, total_);
        sum += std::fabs(static_cast<double>(count) / records - p);
        others -= p;
      }
      return std::clamp((sum + others) / 2, 0.0, 1.0);
    }
    case Distance::ordered: {
      double sum = 0, of_class = 0, of_table = 0;
      for (const auto& value : ascending_) {
        of_class += share(values, value, records);
        of_table += share(in_table_, value, total_);
        sum += std::fabs(of_class - of_table);
      }
      return ascending_.size() < 2 ? 0 : sum / static_cast<double>(ascending_.size() - 1);
    }
    case Distance::hierarchical: break;
  }
  // Works level by level with the shares of the nodes, by name. A name can only repeat on another level.
  const std::size_t height = paths_.empty() ? 0 : paths_.begin()->second.size();
  double sum = 0;
  for (std::size_t level = 0; level < height; ++level) {
    std::map<ValueText, double> surplus;
    for (const auto& [value, path] : paths_) {
      const ValueText node = level == 0 ? value : ValueText(path[level - 1]);
      surplus[node] += share(values, value, records) - share(in_table_, value, total_);
    }
    for (const auto& [node, amount] : surplus) sum += std::fabs(amount);
  }
  return height == 0 ? 0 : sum / (2 * static_cast<double>(height));
}

double ValueTable::beta(const ValueCounts& values, Likeness likeness) const {
  const double records = records_of(values);
  double most = 0;
  for (const auto& [value, count] : values) {
    const double p = share(in_table_, value, total_);
    const double q = static_cast<double>(count) / records;
    const double gain = (q - p) / p;
    const bool is_beyond = likeness == Likeness::enhanced && q > (1 - std::log(p)) * p + kDistanceTolerance;
    most = std::max(most, is_beyond ? kInfinity : gain);
  }
  return most;
}

double ValueTable::delta(const ValueCounts& values) const {
  const double records = records_of(values);
  double most = 0;
  for (const auto& [value, count] : values) {
    const double q = static_cast<double>(count) / records;
    most = std::max(most, std::fabs(std::log2(q) - std::log2(share(in_table_, value, total_))));
  }
  return most;
}

bool ValueTable::keeps(const ValueCounts& values, const ValueModel& model) const {
  const auto distinct = static_cast<double>(values.size());
  return std::visit(
      Overloaded{
          [&](const DistinctDiversity& it) { return distinct >= std::ceil(it.l); },
          [&](const EntropyDiversity& it) {
            return distinct >= std::ceil(it.l) && entropy_l(values) >= it.l * (1 - kDistanceTolerance);
          },
          [&](const RecursiveDiversity& it) {
            return recursive_c(values, it.l) < it.c * (1 - kDistanceTolerance);
          },
          [&](const TCloseness& it) { return distance(values, it.distance) <= it.t + kDistanceTolerance; },
          [&](const BetaLikeness& it) {
            // The tolerance applies to q, so that it is the same for rare and frequent values.
            const double records = records_of(values);
            return std::ranges::all_of(values, [&](const auto& entry) {
              const double p = share(in_table_, entry.first, total_);
              const double most = it.likeness == Likeness::basic ? it.beta : std::min(it.beta, -std::log(p));
              return static_cast<double>(entry.second) / records <= p + most * p + kDistanceTolerance;
            });
          },
          [&](const DeltaDisclosure& it) { return delta(values) < it.delta * (1 - kDistanceTolerance); }},
      model);
}

}  // namespace pgveil::engine
