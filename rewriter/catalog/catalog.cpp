#include "rewriter/catalog/catalog.hpp"

#include <algorithm>

namespace pgveil::rewriter {

const Column* Relation::find_column(std::string_view column_name) const {
  const auto at = std::ranges::find(columns, column_name, &Column::name);
  return at == columns.end() ? nullptr : &*at;
}

const Column* Relation::find_column(int column_number) const {
  const auto at = std::ranges::find(columns, column_number, &Column::number);
  return at == columns.end() ? nullptr : &*at;
}

const Relation* Catalog::find(std::string_view schema, std::string_view name) const {
  const auto at = relations.find(std::pair(std::string(schema), std::string(name)));
  return at == relations.end() ? nullptr : &at->second;
}

const Relation* Catalog::resolve(std::string_view name, std::span<const std::string> schemas) const {
  for (const std::string& schema : schemas) {
    if (const Relation* found = find(schema, name)) return found;
  }
  return nullptr;
}

const Catalog::NamedType* Catalog::castable_type(std::string_view schema, std::string_view name,
                                                 std::span<const std::string> schemas) const {
  const auto of_schema = [&](std::string_view one) -> const NamedType* {
    const auto at = types_elsewhere.find(std::pair(std::string(one), std::string(name)));
    return at == types_elsewhere.end() ? nullptr : &*at;
  };
  const NamedType* found = schema.empty() ? nullptr : of_schema(schema);
  for (std::size_t i = 0; schema.empty() && found == nullptr && i < schemas.size(); ++i)
    found = of_schema(schemas[i]);
  return found != nullptr && found->second.is_castable ? found : nullptr;
}

// Operators of extensions are about their own types.
bool Catalog::has_plain_equality() const {
  const auto is_apart = [&](const Candidate& candidate) {
    const bool is_visible = std::ranges::find(search_path, candidate.schema) != search_path.end();
    if (!is_visible || candidate.has_twin) return true;
    return candidate.is_safe && !candidate.runs.extension.empty() &&
           candidate.arguments.find_first_not_of('?') == std::string::npos;
  };
  return std::ranges::all_of(candidates_of(operators_elsewhere, "="), is_apart);
}

std::span<const Candidate> Catalog::candidates_of(const Candidates& candidates, std::string_view name) {
  const auto at = candidates.find(name);
  return at == candidates.end() ? std::span<const Candidate>() : at->second;
}

}  // namespace pgveil::rewriter
