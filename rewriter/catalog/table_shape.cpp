#include "rewriter/catalog/table_shape.hpp"

#include <optional>

namespace pgveil::rewriter {

policy::TableShape shape_of(const Relation& relation) {
  policy::TableShape shape{.table_oid = relation.oid,
                           .relfilenode = relation.relfilenode,
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

bool is_of(const policy::PolicyVersion& version, const Relation& relation) {
  return policy::has_only_grown(version.shape, shape_of(relation), policy::asked_columns(version.tree));
}

std::span<const Column> added_columns(const policy::PolicyVersion& version, const Relation& relation) {
  return std::span(relation.columns).subspan(version.shape.columns.size());
}

}  // namespace pgveil::rewriter
