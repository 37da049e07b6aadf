#include "rewriter/mask/mask_text.hpp"

#include "common/assert.hpp"
#include "pg/arena.hpp"
#include "pg/build.hpp"
#include "pg/print.hpp"

namespace pgveil::rewriter {

std::string text_without(const MaskText& parts, std::span<const std::size_t> left_out) {
  const auto& columns = parts.columns;
  std::string out = "SELECT ";
  auto next = left_out.begin();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out += ", ";
    const bool is_left_out = next != left_out.end() && *next == i;
    if (is_left_out) ++next;
    out += is_left_out ? columns[i].left_out : columns[i].shown;
  }
  return out += parts.rest;
}

MaskText print_mask(PgQuery__SelectStmt& select, std::span<pg::Node* const> left_out) {
  pg::Arena arena;
  pg::Builder build(arena);
  MaskText out;
  for (std::size_t i = 0; i < select.n_target_list; ++i) {
    const PgQuery__ResTarget& target = *select.target_list[i]->res_target;
    const std::string as = " AS " + pg::quote_identifier(target.name);
    out.columns.push_back(
        {.name = target.name, .shown = pg::print_expression(*target.val) + as, .left_out = {}});
    if (left_out[i] != nullptr) out.columns.back().left_out = pg::print_expression(*left_out[i]) + as;
  }
  const std::string columns = whole_text(out);
  const std::string whole = pg::print_statement(*build.select_node(&select));
  PGVEIL_ASSERT(whole.starts_with(columns));
  out.rest = whole.substr(columns.size());
  return out;
}

std::string print_name(const StandInName& name) {
  std::string out = std::to_string(name.oid);
  switch (name.form) {
    case MaskForm::by_column: break;
    case MaskForm::by_row: out += 'r'; break;
    case MaskForm::by_bitmap: out += 'b'; break;
  }
  for (const std::size_t position : name.left_out) out += '-' + std::to_string(position);
  return out;
}

}  // namespace pgveil::rewriter
