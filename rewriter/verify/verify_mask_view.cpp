#include "rewriter/verify/verify_mask_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "pg/equal.hpp"
#include "pg/parse.hpp"
#include "rewriter/verify/verify_guards.hpp"

namespace pgveil::rewriter {
namespace {

constexpr std::string_view kAlias = "t";
constexpr std::size_t kMaxViewTextBytes = std::size_t{1} << 20;  // for 1,600 columns with names of 63 bytes

Error failure(const Mask& mask, std::string_view expected) {
  return Error{.kind = ErrorKind::policy,
               .sqlstate = "XX000",
               .public_message = fmt::format("the mask view of \"{}\" failed its check: expected {}",
                                             mask.policy, expected),
               .hint = "this is a bug of pgveil: the table stays closed"};
}

bool is_column(const pg::Node* target, std::string_view name) {
  if (!pg::is_kind(target, PG_QUERY__NODE__NODE_RES_TARGET)) return false;
  const PgQuery__ResTarget& it = *target->res_target;
  if (std::string_view(it.name) != "" || it.n_indirection > 0 ||
      !pg::is_kind(it.val, PG_QUERY__NODE__NODE_COLUMN_REF)) {
    return false;
  }
  const PgQuery__ColumnRef& column = *it.val->column_ref;
  return column.n_fields == 2 && pg::is_kind(column.fields[0], PG_QUERY__NODE__NODE_STRING) &&
         pg::is_kind(column.fields[1], PG_QUERY__NODE__NODE_STRING) &&
         pg::string_of(column.fields[0]) == kAlias && pg::string_of(column.fields[1]) == name;
}

bool is_view(const pg::Node* from, std::string_view view) {
  if (!pg::is_kind(from, PG_QUERY__NODE__NODE_RANGE_VAR)) return false;
  const PgQuery__RangeVar& range = *from->range_var;
  return std::string_view(range.catalogname) == "" && std::string_view(range.schemaname) == "pgveil" &&
         range.relname == view && std::string_view(range.relpersistence) == "p" && range.inh != 0 &&
         range.alias != nullptr && range.alias->aliasname == kAlias && range.alias->n_colnames == 0;
}

// "people_k2.7.5d1e08b3a94c1f02": at most 24 bytes of the policy's name, the version's number, 16 digits that
// keep names apart.
bool is_own_name(const Mask& mask) {
  const std::string start = fmt::format("{}.{}.", mask.policy.substr(0, 24), mask.number);
  if (!mask.view.starts_with(start) || mask.view.size() != start.size() + 16) return false;
  return mask.view.find_first_not_of("0123456789abcdef", start.size()) == std::string::npos;
}

bool is_view_guard(const pg::Node* where, std::string_view view) {
  const auto expected = pg::parse_own("SELECT " + expected_view_guard(view), kMaxViewTextBytes);
  return where != nullptr && expected &&
         pg::equal(where->base,
                   expected->result->stmts[0]->stmt->select_stmt->target_list[0]->res_target->val->base);
}

}  // namespace

Result<void> verify_view_select(const Mask& mask) {
  const auto read = pg::parse_own(mask.view_select, kMaxViewTextBytes);
  const auto bare = pg::parse_own("SELECT", kMaxViewTextBytes);
  if (!read || !bare || read->result->n_stmts != 1 ||
      !pg::is_kind(read->result->stmts[0]->stmt, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return failure(mask, "readable SQL");
  }
  if (!is_own_name(mask)) return failure(mask, "a view of its own");
  PgQuery__SelectStmt& select = *read->result->stmts[0]->stmt->select_stmt;
  if (select.n_target_list != mask.parts.columns.size()) return failure(mask, "all columns");
  for (std::size_t i = 0; i < select.n_target_list; ++i) {
    if (!is_column(select.target_list[i], mask.parts.columns[i].name))
      return failure(mask, "its columns in order");
  }
  if (select.n_from_clause != 1 || !is_view(select.from_clause[0], mask.view))
    return failure(mask, "the view alone");
  if (!is_view_guard(select.where_clause, mask.view)) return failure(mask, "the guard of its view");
  select.n_target_list = select.n_from_clause = 0;
  select.where_clause = nullptr;
  if (!pg::equal(select.base, bare->result->stmts[0]->stmt->select_stmt->base))
    return failure(mask, "nothing else");
  return {};
}

}  // namespace pgveil::rewriter
