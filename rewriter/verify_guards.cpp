#include "rewriter/verify_guards.hpp"

#include <fmt/format.h>

#include <vector>

namespace pgveil::rewriter {
namespace {

std::string escaped(std::string_view text, std::string_view special, char by) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += by;
    out += c;
  }
  return out;
}

std::string element(std::string_view text) {
  return "\"" + escaped(text, "\"\\", '\\') + "\"";
}
std::string identifier(std::string_view text) {
  return "\"" + escaped(text, "\"", '"') + "\"";
}
std::string literal(std::string_view text) {
  return "E'" + escaped(text, "'\\", '\\') + "'";
}

void append(std::string& elements, std::string_view text) {
  if (!elements.empty()) elements += ',';
  elements += element(text);
}

std::string label_condition(const Column& column) {
  std::string labels;
  std::string oids;
  for (const policy::EnumLabel& label : column.labels) {
    append(labels, label.label);
    append(oids, fmt::format("{}", label.oid));
  }
  return fmt::format(
      " AND pg_catalog.hash_array_extended({}::{}.{}[], 0) OPERATOR(pg_catalog.=) "
      "pg_catalog.hash_array_extended({}::pg_catalog.oid[], 0)",
      literal("{" + labels + "}"), identifier(column.type_schema), identifier(column.type_name),
      literal("{" + oids + "}"));
}

// 2604 is pg_attrdef.
std::string generated_condition(const Relation& relation, const StoredColumn& stored) {
  return fmt::format(
      " AND (pg_catalog.pg_identify_object_as_address(2604, '{}'::pg_catalog.oid, 0)).object_names "
      "OPERATOR(pg_catalog.=) {}::pg_catalog.text[]",
      stored.default_oid,
      literal("{" + element(relation.schema) + "," + element(relation.name) + "," + element(stored.name) +
              "}"));
}

// number: of a column; 0: of the table itself. 1259 is pg_class.
std::string names_condition(const Relation& relation, int number, const std::vector<std::string>& names) {
  std::string texts;
  for (const std::string& name : names) texts += (texts.empty() ? "" : ", ") + literal(name);
  return fmt::format(
      "(pg_catalog.pg_identify_object_as_address(1259, '{}'::pg_catalog.oid, {})).object_names "
      "OPERATOR(pg_catalog.=) ARRAY[{}]::pg_catalog.text[]",
      relation.oid, number, texts);
}

}  // namespace

std::string expected_asking_shape_guard(const Relation& relation, const std::set<int>& columns) {
  std::string conditions = names_condition(relation, 0, {relation.schema, relation.name});
  if (relation.relfilenode != 0) {
    conditions += fmt::format(
        " AND pg_catalog.pg_relation_filenode('{}'::pg_catalog.oid) OPERATOR(pg_catalog.=) "
        "'{}'::pg_catalog.oid",
        relation.oid, relation.relfilenode);
  }
  std::string labels;
  for (const Column& column : relation.columns) {
    if (!columns.contains(column.number)) continue;
    conditions +=
        " AND " + names_condition(relation, column.number, {relation.schema, relation.name, column.name});
    if (column.type_kind == 'e') labels += label_condition(column);
  }
  return fmt::format(
      "(SELECT CASE WHEN {}{} THEN true ELSE pg_catalog.concat('pgveil:shape')::pg_catalog.int4 IS NULL END)",
      conditions, labels);
}

std::string expected_shape_guard(const Relation& relation, const std::set<int>& columns,
                                 const StoredColumn* stored) {
  std::string names = element(relation.schema) + "," + element(relation.name);
  std::string numbers;
  std::string more;
  for (const Column& column : relation.columns) {
    if (!columns.contains(column.number)) continue;
    append(names, column.name);
    append(numbers, fmt::format("{}", column.number));
    if (column.type_kind == 'e') more += label_condition(column);
  }
  if (stored != nullptr) {
    append(names, stored->name);
    append(numbers, fmt::format("{}", stored->number));
    more += generated_condition(relation, *stored);
  }
  return fmt::format(
      "CASE WHEN pgveil.shape('{}'::pg_catalog.oid, '{}'::pg_catalog.oid, {}::pg_catalog.text[], "
      "{}::pg_catalog.int2[]){} THEN true ELSE pg_catalog.concat('pgveil:shape')::pg_catalog.int4 IS NULL "
      "END",
      relation.oid, relation.relfilenode, literal("{" + names + "}"), literal("{" + numbers + "}"), more);
}

std::string expected_version_guard(std::string_view policy, std::uint64_t number) {
  return fmt::format(
      "CASE WHEN (SELECT c.number FROM pgveil.current_version AS c WHERE c.policy OPERATOR(pg_catalog.=) "
      "{0}::pg_catalog.text) OPERATOR(pg_catalog.=) '{1}'::pg_catalog.int8 THEN true "
      "ELSE pgveil.guard({0}::pg_catalog.text, '{1}'::pg_catalog.int8) END",
      literal(policy), number);
}

}  // namespace pgveil::rewriter
