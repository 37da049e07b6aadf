// Comments of masked tables and of their columns say what the mask does, beside what their owner wrote: "city
// of residence (masked by policy patients_k5: shown in 52 % of rows)". PostgreSQL's own answer is joined to
// the notes of own_relation.hpp, for roles that read something masked. Whatever is asked for, its notes may
// be told: they are of the role's own policies.
#include <fmt/format.h>

#include <string>

#include "common/assert.hpp"
#include "pg/parse.hpp"
#include "rewriter/resolve/constants.hpp"
#include "rewriter/resolve/resolver.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

constexpr std::string_view kClassOid = "1259";  // pg_catalog.pg_class, fixed by PostgreSQL

constexpr std::string_view kBoth =
    "CASE WHEN m.note IS NULL THEN c.description WHEN c.description IS NULL THEN m.note "
    "ELSE pg_catalog.concat(c.description, ' (', m.note, ')') END AS description";

std::string notes() {
  return fmt::format("(SELECT * FROM \"{}\".\"{}\") AS m", kStandInSchema,
                     own_stand_in_name(OwnRelation::comments));
}

// c: relation, number, description. Its arguments are put in later; no name of theirs is in scope there.
std::string with_note(std::string_view call) {
  return fmt::format(
      "SELECT {} FROM (SELECT {} AS description, a.relation, a.number FROM "
      "(SELECT NULL::pg_catalog.oid AS relation, NULL::pg_catalog.int4 AS number) AS a) AS c "
      "LEFT JOIN {} ON c.relation OPERATOR(pg_catalog.=) m.relation AND c.number OPERATOR(pg_catalog.=) "
      "m.number",
      kBoth, call, notes());
}

std::string_view call_of_column() {
  return "pg_catalog.col_description(a.relation, a.number)";
}
std::string_view call_of_table() {
  return "pg_catalog.obj_description(a.relation, 'pg_class'::pg_catalog.name)";
}

// pg_description under its mask, each comment of a relation with its note, and the notes of what has no
// comment.
std::string described(std::uint32_t catalog) {
  const std::string under_mask = fmt::format("(SELECT * FROM \"{}\".\"{}\") AS c", kStandInSchema, catalog);
  const std::string is_same = fmt::format(
      "c.objoid OPERATOR(pg_catalog.=) m.relation AND c.classoid OPERATOR(pg_catalog.=) '{}'::pg_catalog.oid "
      "AND c.objsubid OPERATOR(pg_catalog.=) m.number",
      kClassOid);
  return fmt::format(
      "SELECT c.objoid, c.classoid, c.objsubid, {0} FROM {1} LEFT JOIN {2} ON {3} UNION ALL "
      "SELECT m.relation, '{4}'::pg_catalog.oid, m.number, m.note FROM {2} "
      "WHERE NOT EXISTS (SELECT 1 FROM {1} WHERE {3})",
      kBoth, under_mask, notes(), is_same, kClassOid);
}

// Means the same inside of the sub-select that with_comment() writes. A call could be an aggregate, a window
// function or a set.
bool is_simple(const Node* argument) {
  while (pg::is_kind(argument, PG_QUERY__NODE__NODE_TYPE_CAST)) argument = argument->type_cast->arg;
  return pg::is_kind(argument, PG_QUERY__NODE__NODE_COLUMN_REF) ||
         pg::is_kind(argument, PG_QUERY__NODE__NODE_A_CONST) ||
         pg::is_kind(argument, PG_QUERY__NODE__NODE_PARAM_REF);
}

bool is_pg_class(const Node* name) {
  while (pg::is_kind(name, PG_QUERY__NODE__NODE_TYPE_CAST)) name = name->type_cast->arg;
  return text_of(name) == std::string_view("pg_class");
}

// The cells of (SELECT NULL::oid AS relation, NULL::int4 AS number) AS a in with_note().
std::span<Node*> arguments_of(PgQuery__SelectStmt& select) {
  const Node* outer = select.from_clause[0]->join_expr->larg->range_subselect->subquery;
  const Node* inner = outer->select_stmt->from_clause[0]->range_subselect->subquery;
  return pg::nodes(inner->select_stmt->target_list, inner->select_stmt->n_target_list);
}

}  // namespace

PgQuery__SelectStmt* Resolver::own_select(const std::string& text) {
  auto tree = pg::parse_own(text, text.size());
  PGVEIL_ASSERT(tree);  // a text of our own
  definitions_.push_back(std::move(*tree));
  return definitions_.back().result->stmts[0]->stmt->select_stmt;
}

// Null: nothing is to be added.
pg::Node* Resolver::with_comment(const PgQuery__FuncCall& call, std::string_view name) {
  const bool is_of_column = name == "col_description" && call.n_args == 2;
  const bool is_of_table = name == "obj_description" && call.n_args == 2 && is_pg_class(call.args[1]);
  if (!is_of_column && !is_of_table) return nullptr;
  if (!is_plain(call) || !reads_masks(client_.role, snapshot_)) return nullptr;
  if (!is_simple(call.args[0]) || !is_simple(call.args[1])) return nullptr;
  PgQuery__SelectStmt* select = own_select(with_note(is_of_column ? call_of_column() : call_of_table()));
  const auto cells = arguments_of(*select);
  cells[0]->res_target->val->type_cast->arg = call.args[0];
  if (is_of_column)
    cells[1]->res_target->val->type_cast->arg = call.args[1];
  else
    cells[1]->res_target->val = build_.integer_constant(0);
  return build_.scalar_subquery(select);
}

PgQuery__SelectStmt* Resolver::descriptions(const Relation& relation) {
  return own_select(described(relation.oid));
}

}  // namespace pgveil::rewriter
