#include "engine/risk/columns_of.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/sqlstate.hpp"

namespace pgveil::engine {

Error not_measurable(std::string message, std::string hint) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message),
               .hint = std::move(hint)};
}

Result<std::vector<const Column*>> columns_of(const Table& table, std::span<const std::string> names,
                                              std::string_view what) {
  if (names.empty()) return not_measurable("no column is named", "name those that an attacker may know");
  if (table.rows() == 0)
    return not_measurable(fmt::format("the {} has no rows", what), "there is nothing to measure");
  std::vector<const Column*> made;
  for (const auto& name : names) {
    const auto* column = table.find(name);
    if (column == nullptr) {
      return not_measurable(fmt::format("the {} has no column {}", what, name),
                            "names are case-sensitive; is the separator right?");
    }
    if (std::ranges::find(made, column) != made.end())
      return not_measurable(fmt::format("{} is named twice", name), "name it once");
    made.push_back(column);
  }
  return made;
}

}  // namespace pgveil::engine
