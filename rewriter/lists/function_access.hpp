#pragma once
// The list of functions (lists/functions.hpp) as it holds on one server: what that server has changed is not
// on it.
#include <string_view>

#include "rewriter/catalog/catalog.hpp"
#include "rewriter/lists/functions.hpp"

namespace pgveil::rewriter {

[[nodiscard]] inline FunctionRule function_rule(std::string_view name, const Catalog& catalog) {
  return catalog.dropped_functions.contains(name) ? FunctionRule::refused : function_rule(name);
}

// May x.name stand where it is not known to be a column? PostgreSQL calls a function of that name if there is
// one, and one of a user's is found before pg_catalog's when its argument fits better.
[[nodiscard]] inline bool may_be_field(std::string_view name, const Catalog& catalog) {
  if (!catalog.function_names.contains(name)) return true;
  return function_rule(name, catalog) == FunctionRule::allowed &&
         !catalog.function_names_elsewhere.contains(name);
}

}  // namespace pgveil::rewriter
