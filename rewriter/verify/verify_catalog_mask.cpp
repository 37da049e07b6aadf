#include "rewriter/verify/verify_catalog_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "pg/equal.hpp"
#include "pg/parse.hpp"
#include "rewriter/lists/own_rows.hpp"
#include "rewriter/lists/session_settings.hpp"
#include "rewriter/verify/verify_mask.hpp"
#include "rewriter/verify/verify_reader.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

std::string listed_settings() {
  std::string names;
  for (const auto list : {settable_settings(), shown_settings()}) {
    for (const std::string_view name : list) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
  }
  return "pg_catalog.lower(t.name) OPERATOR(pg_catalog.=) ANY (ARRAY[" + names + "]::pg_catalog.text[])";
}

// Empty: all rows are shown.
std::string expected_condition(const SystemCatalog& rule) {
  if (rule.rows == CatalogRows::listed_settings) return listed_settings();
  if (rule.rows == CatalogRows::none) return "false";
  if (rule.rows == CatalogRows::own_session) return {};
  const std::string own = own_rows_condition(rule.own);
  return own.empty() ? own : "CASE WHEN " + own + " THEN false ELSE true END";
}

// Reads an expression of the list.
pg::Tree expression_of(std::string_view text) {
  auto read = pg::parse_own("SELECT " + std::string(text), std::size_t{1} << 20);
  if (!read) fail("an expression of the list");
  return std::move(*read);
}

void is_condition(const Node* found, const std::string& expected) {
  if ((found == nullptr) != expected.empty()) fail("a condition on rows only where the list has one");
  if (found == nullptr) return;
  const auto read = pg::parse_own("SELECT WHERE " + expected, std::size_t{1} << 20);
  if (!read || !pg::equal(found, read->result->stmts[0]->stmt->select_stmt->where_clause))
    fail("the condition on rows of the list");
}

// -1, or 0 for columns that count pages.
bool is_unknown_size(const Node* value, std::string_view column) {
  if (!pg::is_kind(value, PG_QUERY__NODE__NODE_TYPE_CAST)) return false;
  const bool counts_pages = column == "relpages" || column == "relallvisible";
  return text_constant(value->type_cast->arg) == (counts_pages ? "0" : "-1");
}

// As the list has it for the session that asks.
void is_of_session(const Node* value, const SystemCatalog& rule, std::string_view column) {
  for (const SessionColumn& known : rule.session) {
    if (known.name != column) continue;
    const pg::Tree tree = expression_of(known.value);
    const PgQuery__SelectStmt& expected = *tree.result->stmts[0]->stmt->select_stmt;
    if (expected.n_target_list != 1 || !pg::equal(value, expected.target_list[0]->res_target->val))
      fail("the session's own value in column " + std::string(column));
    return;
  }
  if (!is_typed_null(value)) fail("NULL for column " + std::string(column));
}

void is_cell(const Node* value, const SystemCatalog& rule, const Column& column) {
  if (rule.rows == CatalogRows::own_session) return is_of_session(value, rule, column.name);
  const auto hidden = column_rule(rule, column.name);
  if (!hidden) {
    if (column_of(value) != column.name) fail("column " + column.name + " as it is");
    return;
  }
  switch (*hidden) {
    case CatalogColumnRule::null:
      if (!is_typed_null(value)) fail("NULL for column " + column.name);
      return;
    case CatalogColumnRule::unknown_size:
      if (!is_unknown_size(value, column.name)) fail("no size in column " + column.name);
      return;
  }
  fail("a rule that is known");
}

void check(const CompiledMask& mask, const SystemCatalog& rule, const Relation& relation) {
  const PgQuery__SelectStmt& select = *mask.select;
  if (!mask.policy.empty() || mask.table_oid != relation.oid || mask.by_row || !mask.view.empty())
    fail("the catalog that it is of");
  if (relation.schema != rule.schema || relation.name != rule.name) fail("the catalog of the rule");
  is_plain(select, {"target_list", "from_clause", "where_clause"});
  const bool is_read = rule.rows != CatalogRows::own_session && rule.rows != CatalogRows::none;
  if (is_read) reads_as_t(select, relation, true);
  if (!is_read && select.n_from_clause > 0) fail("nothing that is read");
  if (select.n_target_list != relation.columns.size()) fail("all columns");
  for (std::size_t i = 0; i < relation.columns.size(); ++i) {
    const PgQuery__ResTarget& target = *select.target_list[i]->res_target;
    if (target.name != relation.columns[i].name) fail("column " + relation.columns[i].name);
    is_cell(target.val, rule, relation.columns[i]);
  }
  is_condition(select.where_clause, expected_condition(rule));
}

}  // namespace

Result<void> verify_catalog_mask(const CompiledMask& mask, const SystemCatalog& rule,
                                 const Relation& relation) {
  const std::string name = relation.schema + "." + relation.name;
  if (auto verified = verify_text(mask, name); !verified) return verified;
  try {
    check(mask, rule, relation);
  } catch (const Unreadable& unreadable) {
    return Error{.kind = ErrorKind::policy,
                 .sqlstate = "XX000",
                 .public_message =
                     fmt::format("the mask of \"{}\" failed its check: expected {}", name, unreadable.what),
                 .hint = "this is a bug of pgveil: nothing is answered"};
  }
  return {};
}

}  // namespace pgveil::rewriter
