#include "rewriter/mask_view.hpp"

#include <fmt/format.h>

#include <vector>

#include "rewriter/masks.hpp"
#include "rewriter/pg/build.hpp"
#include "rewriter/pg/equal.hpp"
#include "rewriter/pg/parse.hpp"
#include "rewriter/pg/print.hpp"
#include "rewriter/verify.hpp"

namespace pgveil::rewriter {
namespace {

constexpr std::size_t kNameBytes = 24;  // with a number of 20 digits: 62 in all
constexpr std::string_view kViewAlias = "t";
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;  // 1,600 columns with names of 63 bytes

// FNV-1a. It only keeps names apart; that a view has the right text is checked by the text itself.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = 14695981039346656037U;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return sum;
}

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
         pg::string_of(column.fields[0]) == kViewAlias && pg::string_of(column.fields[1]) == name;
}

bool is_view(const pg::Node* from, std::string_view view) {
  if (!pg::is_kind(from, PG_QUERY__NODE__NODE_RANGE_VAR)) return false;
  const PgQuery__RangeVar& range = *from->range_var;
  return std::string_view(range.catalogname) == "" && range.schemaname == kOwnSchema &&
         range.relname == view && std::string_view(range.relpersistence) == "p" && range.inh != 0 &&
         range.alias != nullptr && range.alias->aliasname == kViewAlias && range.alias->n_colnames == 0;
}

}  // namespace

std::string mask_view_name(std::string_view policy, std::uint64_t number) {
  return fmt::format("{}.{}.{:016x}", policy.substr(0, kNameBytes), number,
                     checksum(fmt::format("{} {}", PGVEIL_VERSION, policy)));
}

std::string select_from_view(const Mask& mask) {
  pg::Arena arena;
  pg::Builder build(arena);
  std::vector<pg::Node*> targets;
  for (std::size_t i = 0; i < mask.select->n_target_list; ++i)
    targets.push_back(
        build.target(build.column({kViewAlias, mask.select->target_list[i]->res_target->name}), ""));
  PgQuery__SelectStmt* select =
      build.select(targets, build.relation(kOwnSchema, mask.view, kViewAlias), nullptr);
  return pg::print_statement(*build.select_node(select));
}

std::string text_in_place(const Splice& splice) {
  const Mask& mask = *splice.mask;
  if (!mask.view.empty()) return mask.view_select;
  if (!splice.look_up.constants.empty()) return look_up_select(mask, splice.left_out, splice.look_up);
  return mask.parts_in(splice.form).without(splice.left_out);
}

Result<void> verify_view_select(const Mask& mask) {
  const auto read = pg::parse_own(mask.view_select, kMaxTextBytes);
  const auto bare = pg::parse_own("SELECT", kMaxTextBytes);
  if (!read || !bare || read->result->n_stmts != 1 ||
      !pg::is_kind(read->result->stmts[0]->stmt, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return failure(mask, "readable SQL");
  }
  PgQuery__SelectStmt& select = *read->result->stmts[0]->stmt->select_stmt;
  if (select.n_target_list != mask.select->n_target_list) return failure(mask, "all columns");
  for (std::size_t i = 0; i < select.n_target_list; ++i) {
    if (!is_column(select.target_list[i], mask.select->target_list[i]->res_target->name))
      return failure(mask, "its columns in order");
  }
  if (select.n_from_clause != 1 || !is_view(select.from_clause[0], mask.view))
    return failure(mask, "the view alone");
  select.n_target_list = select.n_from_clause = 0;
  if (!pg::equal(select.base, bare->result->stmts[0]->stmt->select_stmt->base))
    return failure(mask, "nothing else");
  return {};
}

}  // namespace pgveil::rewriter
