#include "rewriter/catalog/table_shape.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace pgveil::rewriter {

policy::TableShape shape_of(const Relation& relation) {
  // Each REFRESH gives a materialized view another file, and readers read a copy anyway.
  const bool has_file_of_its_own = relation.kind != RelationKind::materialized_view;
  policy::TableShape shape{.table_oid = relation.oid,
                           .relfilenode = has_file_of_its_own ? relation.relfilenode : 0,
                           .schema = relation.schema,
                           .name = relation.name,
                           .columns = {}};
  for (const Column& column : relation.columns) {
    shape.columns.push_back(
        {.number = column.number,
         .name = column.name,
         .type_oid = column.type_oid,
         .typmod = column.typmod,
         .collation_oid = column.collation_oid,
         .labels = column.type_kind == 'e' ? std::optional(column.labels) : std::nullopt});
  }
  return shape;
}

// A column in the place of the stored decisions, or another one of its name, would change what is shown.
bool is_of(const policy::PolicyVersion& version, const Relation& relation) {
  const policy::TableShape now = shape_of(relation);
  const auto asked = policy::asked_columns(version.tree);
  if (version.stored) return policy::still_fits(version.shape, now, asked);
  return policy::has_only_grown(version.shape, now, asked) &&
         std::ranges::none_of(added_columns(version, relation), [](const Column& column) {
           return std::string_view(column.name).starts_with(kStoredPrefix);
         });
}

std::span<const Column> added_columns(const policy::PolicyVersion& version, const Relation& relation) {
  return std::span(relation.columns).subspan(version.shape.columns.size());
}

}  // namespace pgveil::rewriter
