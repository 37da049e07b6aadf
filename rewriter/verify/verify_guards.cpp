#include "rewriter/verify/verify_guards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "pg/equal.hpp"
#include "pg/fields.hpp"

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

std::string cell(const Relation& relation, const Column& column) {
  return fmt::format("(NULL::{}.{}).{}", identifier(relation.schema), identifier(relation.name),
                     identifier(column.name));
}

// For a check in each execution.
std::string asked_type(const Relation& relation, const Column& column) {
  std::string out =
      fmt::format(" AND pg_catalog.pg_typeof({})::pg_catalog.oid OPERATOR(pg_catalog.=) '{}'::pg_catalog.oid",
                  cell(relation, column), column.type_oid);
  if (column.collation_oid != 0) {
    out += fmt::format(
        " AND pg_catalog.to_regcollation(pg_catalog.pg_collation_for({}))::pg_catalog.oid "
        "OPERATOR(pg_catalog.=) '{}'::pg_catalog.oid",
        cell(relation, column), column.collation_oid);
  }
  return out;
}

std::string planned_type(const Relation& relation, const Column& column) {
  return fmt::format(" AND pgveil.has_type({}, '{}'::pg_catalog.oid, '{}'::pg_catalog.oid)",
                     cell(relation, column), column.type_oid, column.collation_oid);
}

std::string no_row_security(const Relation& relation) {
  return fmt::format(" AND pg_catalog.row_security_active('{}'::pg_catalog.oid) OPERATOR(pg_catalog.=) false",
                     relation.oid);
}

// The relations of a FROM item, without those of sub-selects.
void add_relations(const pg::Node* item, std::vector<const PgQuery__RangeVar*>& out) {
  if (pg::is_kind(item, PG_QUERY__NODE__NODE_RANGE_VAR)) out.push_back(item->range_var);
  if (pg::is_kind(item, PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE))
    add_relations(item->range_table_sample->relation, out);
  if (pg::is_kind(item, PG_QUERY__NODE__NODE_JOIN_EXPR)) {
    add_relations(item->join_expr->larg, out);
    add_relations(item->join_expr->rarg, out);
  }
}

// The conditions that all rows of the answer must meet.
std::span<pg::Node* const> conditions_of(const PgQuery__SelectStmt& select) {
  pg::Node* const& where = select.where_clause;
  if (where == nullptr) return {};
  const bool is_and = pg::is_kind(where, PG_QUERY__NODE__NODE_BOOL_EXPR) &&
                      where->bool_expr->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR;
  return is_and ? pg::nodes(where->bool_expr->args, where->bool_expr->n_args) : std::span(&where, 1);
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
  std::string types;
  for (const Column& column : relation.columns) {
    if (!columns.contains(column.number)) continue;
    types += asked_type(relation, column);
    conditions +=
        " AND " + names_condition(relation, column.number, {relation.schema, relation.name, column.name});
    if (column.type_kind == 'e') labels += label_condition(column);
  }
  return fmt::format(
      "(SELECT CASE WHEN {}{} THEN true ELSE pg_catalog.concat('pgveil:shape')::pg_catalog.int4 IS NULL END)",
      conditions, types + no_row_security(relation) + labels);
}

std::string expected_shape_guard(const Relation& relation, const std::set<int>& columns,
                                 const StoredColumn* stored) {
  std::string names = element(relation.schema) + "," + element(relation.name);
  std::string numbers;
  std::string types;
  std::string more;
  for (const Column& column : relation.columns) {
    if (!columns.contains(column.number)) continue;
    types += planned_type(relation, column);
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
      relation.oid, relation.relfilenode, literal("{" + names + "}"), literal("{" + numbers + "}"),
      types + no_row_security(relation) + more);
}

std::string expected_table_guard(const Relation& relation, VersionGuard guard) {
  const std::string names = literal("{" + element(relation.schema) + "," + element(relation.name) + "}");
  if (guard == VersionGuard::present) {
    return fmt::format(
        "CASE WHEN pgveil.is_open('{}'::pg_catalog.oid, {}::pg_catalog.text[], '{}'::pg_catalog.int8) THEN "
        "true "
        "ELSE pg_catalog.concat('pgveil:open')::pg_catalog.int4 IS NULL END",
        relation.oid, names, relation.partitions_hash);
  }
  const std::string of_table =
      fmt::format("(pg_catalog.pg_identify_object_as_address(1259, '{}'::pg_catalog.oid, 0))", relation.oid);
  const std::string root =
      fmt::format("pg_catalog.pg_partition_root('{}'::pg_catalog.regclass)::pg_catalog.oid", relation.oid);
  const std::string partitions = fmt::format(
      "{} OPERATOR(pg_catalog.=) '{}'::pg_catalog.oid AND (SELECT "
      "pg_catalog.hash_array_extended(pg_catalog.array_agg(p.relid::pg_catalog.oid ORDER BY "
      "p.relid::pg_catalog.oid), 0) FROM pg_catalog.pg_partition_tree('{}'::pg_catalog.regclass) AS p) "
      "OPERATOR(pg_catalog.=) '{}'::pg_catalog.int8",
      root, relation.oid, relation.oid, relation.partitions_hash);
  return fmt::format(
      "(SELECT CASE WHEN {0}.object_names OPERATOR(pg_catalog.=) {1}::pg_catalog.text[] AND {0}.type "
      "OPERATOR(pg_catalog.=) 'table'::pg_catalog.text{2} AND {3} THEN true ELSE "
      "pg_catalog.concat('pgveil:open')::pg_catalog.int4 IS NULL END)",
      of_table, names, no_row_security(relation),
      relation.kind == RelationKind::partitioned_table ? partitions : root + " IS NULL");
}

bool is_table_guard(const pg::Node& made, const Relation& relation, VersionGuard guard) {
  const auto read = pg::parse_own("SELECT " + expected_table_guard(relation, guard), std::size_t{1} << 20);
  return read && pg::equal(made.base,
                           read->result->stmts[0]->stmt->select_stmt->target_list[0]->res_target->val->base);
}

Result<void> verify_table_guard(const TableGuard& made, const Relation& relation, VersionGuard guard) {
  if (made.condition != nullptr && is_table_guard(*made.condition, relation, guard)) return {};
  return Error{.kind = ErrorKind::policy,
               .sqlstate = "XX000",
               .public_message = fmt::format("the guard of table \"{}\" failed its check", relation.name),
               .hint = "this is a bug of pgveil: the table stays closed"};
}

std::string expected_version_guard(std::string_view policy, std::uint64_t number) {
  return fmt::format(
      "CASE WHEN (SELECT c.number FROM pgveil.current_version AS c WHERE c.policy OPERATOR(pg_catalog.=) "
      "{0}::pg_catalog.text) OPERATOR(pg_catalog.=) '{1}'::pg_catalog.int8 THEN true "
      "ELSE pgveil.guard({0}::pg_catalog.text, '{1}'::pg_catalog.int8) END",
      literal(policy), number);
}

std::string expected_view_guard(std::string_view view) {
  return fmt::format(
      "(SELECT CASE WHEN pgveil.is_mask({}::pg_catalog.text) THEN true "
      "ELSE pg_catalog.concat('pgveil:view')::pg_catalog.int4 IS NULL END)",
      literal(view));
}

GuardedTables guarded_tables_of(const PgQuery__SelectStmt& select, const Snapshot& snapshot) {
  GuardedTables out;
  std::vector<const PgQuery__RangeVar*> relations;
  for (const pg::Node* item : pg::nodes(select.from_clause, select.n_from_clause))
    add_relations(item, relations);
  for (const PgQuery__RangeVar* name : relations) {
    const Relation* found = snapshot.catalog().find(name->schemaname, name->relname);
    const TableGuard* guard = found == nullptr ? nullptr : snapshot.table_guard(*found);
    if (guard == nullptr) continue;
    const auto conditions = conditions_of(select);
    const auto at = std::ranges::find_if(conditions, [&](const pg::Node* condition) {
      return condition != nullptr && pg::equal(condition->base, guard->condition->base);
    });
    if (at == conditions.end()) continue;
    out.tables.push_back(name);
    out.guards.push_back(*at);
  }
  return out;
}

}  // namespace pgveil::rewriter
