#pragma once
// The list of functions (lists/functions.hpp) as it holds on one server: functions that this server has
// changed are not on it.
#include <string_view>

#include "rewriter/catalog/catalog.hpp"
#include "rewriter/lists/functions.hpp"

namespace pgveil::rewriter {

[[nodiscard]] inline FunctionRule function_rule(std::string_view name, const Catalog& catalog) {
  return catalog.dropped_functions.contains(name) ? FunctionRule::refused
                                                  : function_rule(name, catalog.major());
}

// Whether x.name may stand where it is not known to be a column. If there is a function of that name,
// PostgreSQL calls it, and it prefers a user's function to pg_catalog's when the argument fits that one
// better.
[[nodiscard]] inline bool may_be_field(std::string_view name, const Catalog& catalog) {
  if (!catalog.function_names.contains(name)) return true;
  return function_rule(name, catalog) == FunctionRule::allowed &&
         !catalog.function_names_elsewhere.contains(name);
}

}  // namespace pgveil::rewriter
