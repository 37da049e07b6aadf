#include <fmt/format.h>

#include <unordered_map>

#include "engine/data/builder_parts.hpp"

namespace pgveil::engine {
namespace {

Result<std::unordered_map<std::string_view, std::size_t>> positions(const Order& rule,
                                                                    std::string_view column) {
  std::unordered_map<std::string_view, std::size_t> position_of;
  for (std::size_t i = 0; i < rule.order.size(); ++i) {
    if (position_of.emplace(rule.order[i], i).second) continue;
    return rule_error(fmt::format("the order of {} names its entry {} before", column, i + 1),
                      "list each value once");
  }
  for (const auto size : rule.group_sizes) {
    if (size < 2) {
      return rule_error(fmt::format("the order of {} has groups of {}", column, size),
                        "a group joins at least 2");
    }
  }
  return position_of;
}

std::string label(const std::vector<std::string>& order, std::size_t position, std::size_t size) {
  const std::size_t first = position / size * size;
  const std::size_t last = std::min(order.size() - first, size) + first - 1;
  return first == last ? order[first] : fmt::format("{} - {}", order[first], order[last]);
}

}  // namespace

Result<BuiltRows> build(const Order& rule, std::string_view column, std::span<const std::string> values) {
  const auto position_of = positions(rule, column);
  if (position_of.has_error()) return position_of.error();
  std::vector<std::string> missing;
  for (const auto& value : values) {
    if (!position_of->contains(value)) missing.push_back(value);
  }
  if (!missing.empty()) {
    return values_error(fmt::format("the order of {} lacks {} values of the column", column, missing.size()),
                        "add each where it belongs", missing);
  }
  BuiltRows built{rule.group_sizes.size() + 2, {}};
  if (auto possible = check_width(built.width, column, "choose fewer levels"); !possible)
    return possible.error();
  for (std::size_t position = 0; position < rule.order.size(); ++position) {
    auto& row = built.rows.emplace_back(1, rule.order[position]);
    std::size_t size = 1;
    for (const auto joined : rule.group_sizes) {
      // A size beyond the number of values has no further effect, but it must not overflow.
      size = joined > rule.order.size() / size ? std::max(size, rule.order.size()) : size * joined;
      row.push_back(label(rule.order, position, size));
    }
    row.emplace_back(kEverything);
  }
  return built;
}

}  // namespace pgveil::engine
