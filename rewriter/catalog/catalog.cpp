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

const std::string* Catalog::enum_schema(std::string_view schema, std::string_view name,
                                        std::span<const std::string> schemas) const {
  const auto at = std::ranges::find_if(
      enum_types, [&](const auto& type) { return type.first == schema && type.second == name; });
  if (!schema.empty()) return at == enum_types.end() ? nullptr : &at->first;
  for (const std::string& listed : schemas) {
    if (enum_types.contains(std::pair(listed, std::string(name)))) return &listed;
  }
  return nullptr;
}

}  // namespace pgveil::rewriter
