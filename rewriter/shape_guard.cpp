#include "rewriter/shape_guard.hpp"

#include <string>
#include <vector>

#include "rewriter/masks.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

constexpr int kPgClassOid = 1259;  // pg_catalog.pg_class, fixed by PostgreSQL

Node* oid(std::uint32_t value, pg::Builder& build) {
  return build.cast(build.string_constant(std::to_string(value)), build.type_name("pg_catalog", "oid"));
}

// (pg_identify_object_as_address(pg_class, table, column)).object_names = ARRAY[schema, table, column]
Node* has_names(const Relation& relation, int number, std::span<const std::string> names,
                pg::Builder& build) {
  Node* const arguments[] = {build.integer_constant(kPgClassOid), oid(relation.oid, build),
                             build.integer_constant(number)};
  Node* found = build.field(build.call("pg_identify_object_as_address", arguments), "object_names");
  std::vector<Node*> expected;
  for (const std::string& name : names) expected.push_back(build.string_constant(name));
  return build.equals(found, build.cast(build.array(expected), build.type_name("pg_catalog", "text", true)));
}

}  // namespace

Node* shape_guard(const Relation& relation, const std::set<int>& columns, pg::Builder& build) {
  std::vector<Node*> conditions;
  const std::string table[] = {relation.schema, relation.name};
  conditions.push_back(has_names(relation, 0, table, build));
  if (relation.relfilenode != 0) {  // a partitioned table has no file of its own
    Node* const arguments[] = {oid(relation.oid, build)};
    conditions.push_back(
        build.equals(build.call("pg_relation_filenode", arguments), oid(relation.relfilenode, build)));
  }
  for (const int number : columns) {
    const std::string column[] = {relation.schema, relation.name, relation.find_column(number)->name};
    conditions.push_back(has_names(relation, number, column, build));
  }
  // concat() is not folded at planning time, so the cast fails only when this arm is reached.
  Node* const marker[] = {build.string_constant(kShapeMarker)};
  Node* raise =
      build.is_null(build.cast(build.call("concat", marker), build.type_name("pg_catalog", "int4")));
  const pg::Builder::When ok[] = {{build.all_of(conditions), build.true_constant()}};
  Node* const targets[] = {build.target(build.searched_case(ok, raise), "")};
  return build.scalar_subquery(build.select(targets, nullptr, nullptr));
}

}  // namespace pgveil::rewriter
