#include "rewriter/mask_text.hpp"

#include <algorithm>
#include <charconv>

#include "common/assert.hpp"
#include "rewriter/pg/arena.hpp"
#include "rewriter/pg/build.hpp"
#include "rewriter/pg/print.hpp"

namespace pgveil::rewriter {

std::string MaskText::without(std::span<const std::size_t> left_out) const {
  std::string out = "SELECT ";
  auto next = left_out.begin();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out += ", ";
    const bool is_left_out = next != left_out.end() && *next == i;
    if (is_left_out) ++next;
    out += is_left_out ? columns[i].left_out : columns[i].shown;
  }
  return out += rest;
}

MaskText print_mask(PgQuery__SelectStmt& select, std::span<pg::Node* const> left_out) {
  pg::Arena arena;
  pg::Builder build(arena);
  MaskText out;
  for (std::size_t i = 0; i < select.n_target_list; ++i) {
    const PgQuery__ResTarget& target = *select.target_list[i]->res_target;
    const std::string as = " AS " + pg::quote_identifier(target.name);
    out.columns.push_back({.shown = pg::print_expression(*target.val) + as, .left_out = {}});
    if (left_out[i] != nullptr) out.columns.back().left_out = pg::print_expression(*left_out[i]) + as;
  }
  const std::string columns = out.whole();
  const std::string whole = pg::print_statement(*build.select_node(&select));
  PGVEIL_ASSERT(whole.starts_with(columns));
  out.rest = whole.substr(columns.size());
  return out;
}

std::string print_name(const StandInName& name) {
  std::string out = std::to_string(name.oid);
  if (name.form == MaskForm::by_row) out += 'r';
  for (const std::size_t position : name.left_out) out += '-' + std::to_string(position);
  return out;
}

StandInName read_name(std::string_view text) {
  StandInName out;
  const char* at = text.data();
  const char* const end = at + text.size();
  auto read = std::from_chars(at, end, out.oid);
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == 'r') {
    out.form = MaskForm::by_row;
    ++read.ptr;
  }
  while (read.ec == std::errc() && read.ptr != end && *read.ptr == '-') {
    out.left_out.push_back(0);
    read = std::from_chars(read.ptr + 1, end, out.left_out.back());
  }
  // Only the one way of writing it that print_name has.
  if (read.ec != std::errc() || read.ptr != end || print_name(out) != text) return {};
  return out;
}

}  // namespace pgveil::rewriter
