#include "engine/data/hierarchy_builders.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "engine/data/builder_parts.hpp"
#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

Error rule_error(std::string message, std::string hint) {
  return values_error(std::move(message), std::move(hint), {});
}

Result<void> check_width(std::size_t width, std::string_view column, std::string hint) {
  if (width <= kMaxHeight + 1) return {};
  return rule_error(
      fmt::format("the hierarchy of {} would have {} levels, {} are possible", column, width, kMaxHeight + 1),
      std::move(hint));
}

Error values_error(std::string message, std::string hint, const std::vector<std::string>& values) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message),
               .hint = std::move(hint),
               .private_detail = fmt::format("{}", fmt::join(values, ", "))};
}

Result<Hierarchy> build_hierarchy(const HierarchyRule& rule, std::string_view column,
                                  std::span<const std::string> values,
                                  std::optional<std::string_view> null_text) {
  std::vector<std::string> known;
  bool has_null = false;
  for (const auto& value : values) {
    if (value == null_text) {
      has_null = true;
    } else {
      known.push_back(value);
    }
  }
  auto built = std::visit([&](const auto& it) { return build(it, column, known); }, rule);
  if (built.has_error()) return built.error();
  Hierarchy hierarchy{std::move(built->rows)};
  const auto is_null = [&](const auto& row) { return row.front() == null_text; };
  if (!has_null || std::ranges::any_of(hierarchy.rows, is_null)) return hierarchy;
  std::vector<std::string> row(built->width, std::string(*null_text));
  row.back() = hierarchy.rows.empty() ? std::string(kEverything) : hierarchy.rows.front().back();
  hierarchy.rows.push_back(std::move(row));
  return hierarchy;
}

}  // namespace pgveil::engine
