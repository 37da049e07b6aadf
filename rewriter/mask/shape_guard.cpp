#include "rewriter/mask/shape_guard.hpp"

#include <string>
#include <vector>

#include "common/array_text.hpp"
#include "common/assert.hpp"
#include "rewriter/mask/mask_column.hpp"
#include "rewriter/mask/masks.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

constexpr int kPgClassOid = 1259;    // pg_catalog.pg_class, fixed by PostgreSQL
constexpr int kPgAttrdefOid = 2604;  // pg_catalog.pg_attrdef

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

// pg_catalog.hash_array_extended('{"low","high"}'::public.mood[], 0) =
// pg_catalog.hash_array_extended('{16400,16402}'::pg_catalog.oid[], 0)
Node* has_labels(const Column& column, pg::Builder& build) {
  std::vector<std::string> labels;
  std::vector<std::string> oids;
  for (const policy::EnumLabel& label : column.labels) {
    labels.push_back(label.label);
    oids.push_back(std::to_string(label.oid));
  }
  const auto hash = [&](const std::vector<std::string>& elements, PgQuery__TypeName* type) {
    Node* const arguments[] = {build.cast(build.string_constant(array_text(elements)), type),
                               build.integer_constant(0)};
    return build.call("hash_array_extended", arguments);
  };
  return build.equals(hash(labels, build.type_name(column.type_schema, column.type_name, true)),
                      hash(oids, build.type_name("pg_catalog", "oid", true)));
}

void add_labels(const Relation& relation, const std::set<int>& columns, pg::Builder& build,
                std::vector<Node*>& conditions) {
  for (const int number : columns) {
    const Column& column = *relation.find_column(number);
    if (column.type_kind == 'e') conditions.push_back(has_labels(column, build));
  }
}

// (NULL::public.people).ts: it has the type and collation that the column has when the text is read.
Node* empty_cell(const Relation& relation, const Column& column, pg::Builder& build) {
  Node* row = build.cast(build.null_constant(), build.type_name(relation.schema, relation.name));
  return build.field(row, column.name);
}

// Uses functions of PostgreSQL alone, evaluated each time the statement runs.
// to_regcollation(pg_collation_for(x)) gives the collation itself, by its current name.
void add_types(const Relation& relation, const std::set<int>& columns, pg::Builder& build,
               std::vector<Node*>& conditions) {
  const auto as_oid = [&](Node* value) { return build.cast(value, build.type_name("pg_catalog", "oid")); };
  for (const int number : columns) {
    const Column& column = *relation.find_column(number);
    Node* const cell[] = {empty_cell(relation, column, build)};
    conditions.push_back(build.equals(as_oid(build.call("pg_typeof", cell)), oid(column.type_oid, build)));
    if (column.collation_oid == 0) continue;
    Node* const text[] = {empty_cell(relation, column, build)};
    Node* const name[] = {build.call("pg_collation_for", text)};
    conditions.push_back(
        build.equals(as_oid(build.call("to_regcollation", name)), oid(column.collation_oid, build)));
  }
}

// pgveil.has_type((NULL::public.people).ts, '1114', '0')
void add_types_when_planned(const Relation& relation, const std::set<int>& columns, pg::Builder& build,
                            std::vector<Node*>& conditions) {
  for (const int number : columns) {
    const Column& column = *relation.find_column(number);
    Node* const arguments[] = {empty_cell(relation, column, build), oid(column.type_oid, build),
                               oid(column.collation_oid, build)};
    conditions.push_back(build.call_in(kOwnSchema, kTypeFunction, arguments));
  }
}

// Reads the newest catalog, for the role that asks. No setting of the client changes the answer.
Node* has_no_row_security(const Relation& relation, pg::Builder& build) {
  Node* const arguments[] = {oid(relation.oid, build)};
  return build.equals(build.call("row_security_active", arguments), build.false_constant());
}

Node* has_shape(const Relation& relation, const std::set<int>& columns, pg::Builder& build) {
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
  add_types(relation, columns, build, conditions);
  conditions.push_back(has_no_row_security(relation, build));
  add_labels(relation, columns, build, conditions);
  return build.all_of(conditions);
}

// pgveil.shape('16385', '16390', '{"public","people","id",…}', '{"1",…}')
Node* had_shape_when_planned(const Relation& relation, const std::set<int>& columns,
                             const StoredColumn* stored, pg::Builder& build) {
  std::vector<std::string> names{relation.schema, relation.name};
  std::vector<std::string> numbers;
  for (const int number : columns) {
    names.push_back(relation.find_column(number)->name);
    numbers.push_back(std::to_string(number));
  }
  if (stored != nullptr) {
    names.push_back(stored->name);
    numbers.push_back(std::to_string(stored->number));
  }
  Node* const arguments[] = {
      oid(relation.oid, build), oid(relation.relfilenode, build),
      build.cast(build.string_constant(array_text(names)), build.type_name("pg_catalog", "text", true)),
      build.cast(build.string_constant(array_text(numbers)), build.type_name("pg_catalog", "int2", true))};
  return build.call_in(kOwnSchema, kShapeFunction, arguments);
}

// (pg_identify_object_as_address(pg_attrdef, the expression, 0)).object_names = '{"public","people","pgveil
// shown …"}'
Node* is_generated(const Relation& relation, const StoredColumn& stored, pg::Builder& build) {
  Node* const arguments[] = {build.integer_constant(kPgAttrdefOid), oid(stored.default_oid, build),
                             build.integer_constant(0)};
  const std::string names[] = {relation.schema, relation.name, stored.name};
  return build.equals(
      build.field(build.call("pg_identify_object_as_address", arguments), "object_names"),
      build.cast(build.string_constant(array_text(names)), build.type_name("pg_catalog", "text", true)));
}

Node* when_planned(const Relation& relation, const std::set<int>& columns, const StoredColumn* stored,
                   pg::Builder& build) {
  std::vector<Node*> conditions = {had_shape_when_planned(relation, columns, stored, build)};
  add_types_when_planned(relation, columns, build, conditions);
  conditions.push_back(has_no_row_security(relation, build));
  add_labels(relation, columns, build, conditions);
  if (stored != nullptr) conditions.push_back(is_generated(relation, *stored, build));
  return build.all_of(conditions);
}

}  // namespace

Node* shape_guard(const Relation& relation, const std::set<int>& columns, VersionGuard guard,
                  const StoredColumn* stored, pg::Builder& build) {
  // concat() is not folded at planning time, so the cast only fails when this arm is evaluated.
  Node* const marker[] = {build.string_constant(kShapeMarker)};
  Node* raise =
      build.is_null(build.cast(build.call("concat", marker), build.type_name("pg_catalog", "int4")));
  const bool is_planned = guard == VersionGuard::present;
  PGVEIL_ASSERT(is_planned || stored == nullptr);
  const pg::Builder::When ok[] = {
      {is_planned ? when_planned(relation, columns, stored, build) : has_shape(relation, columns, build),
       build.true_constant()}};
  Node* checked = build.searched_case(ok, raise);
  if (is_planned) return checked;
  Node* const targets[] = {build.target(checked, "")};
  return build.scalar_subquery(build.select(targets, nullptr, nullptr));
}

}  // namespace pgveil::rewriter
