#include "rewriter/verify/verify_stand_in.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/ascii.hpp"
#include "pg/equal.hpp"
#include "pg/parse.hpp"
#include "rewriter/verify/verify_look_up.hpp"

namespace pgveil::rewriter {
namespace {

constexpr std::size_t kMaxDigits = 10;

// Takes a number without leading zeros from the front; false: there is none.
bool take_number(std::string_view& text, std::uint64_t& out) {
  std::size_t digits = 0;
  out = 0;
  for (; digits < text.size() && digits <= kMaxDigits && is_digit(text[digits]); ++digits)
    out = out * 10 + static_cast<std::uint64_t>(text[digits] - '0');
  if (digits == 0 || digits > kMaxDigits || (digits > 1 && text[0] == '0')) return false;
  text.remove_prefix(digits);
  return true;
}

bool has(const std::vector<std::string>& roles, std::string_view role) {
  return std::ranges::find(roles, role) != roles.end();
}

bool is_masks_table(const Mask& mask, std::uint32_t oid, const Snapshot::ProtectedTable& table) {
  return mask.table_oid == oid && table.state.version != nullptr && mask.policy == table.state.spec->name &&
         mask.number == table.state.version->number;
}

Error rejection(std::string_view rule) {
  return Error{.kind = ErrorKind::server, .sqlstate = "42501", .public_message = std::string(rule)};
}

}  // namespace

StandInName stand_in_of(std::string_view relation_name) {
  StandInName out;
  std::uint64_t number = 0;
  if (!take_number(relation_name, number) || number == 0 || number > 0xFFFF'FFFFU) return {};
  out.oid = static_cast<std::uint32_t>(number);
  if (relation_name.starts_with('r') || relation_name.starts_with('b')) {
    out.form = relation_name[0] == 'r' ? MaskForm::by_row : MaskForm::by_bitmap;
    relation_name.remove_prefix(1);
  }
  while (relation_name.starts_with('-')) {
    relation_name.remove_prefix(1);
    if (!take_number(relation_name, number)) return {};
    if (!out.left_out.empty() && number <= out.left_out.back()) return {};
    out.left_out.push_back(number);
  }
  return relation_name.empty() ? out : StandInName{};
}

std::string stand_in_text(std::string_view relation_name) {
  return fmt::format("SELECT * FROM \"{}\".\"{}\"", kStandInSchema, relation_name);
}

bool is_stand_in_of(const PgQuery__SelectStmt& select, char* relation_name) {
  static const pg::Tree any = pg::parse_own(stand_in_text("1"), 100).value();
  const PgQuery__SelectStmt& model = *any.result->stmts[0]->stmt->select_stmt;
  PgQuery__RangeVar name = *model.from_clause[0]->range_var;
  name.relname = relation_name;
  pg::Node from = *model.from_clause[0];
  from.range_var = &name;
  pg::Node* items[] = {&from};
  PgQuery__SelectStmt expected = model;
  expected.from_clause = items;
  expected.where_clause = select.where_clause;
  return pg::equal(select.base, expected.base);
}

const Snapshot::ProtectedTable* protected_for(std::uint32_t oid, std::string_view role,
                                              const Snapshot& snapshot) {
  for (const Snapshot::ProtectedTable& table : snapshot.protected_tables()) {
    if (table.relation == nullptr || table.relation->oid != oid) continue;
    const policy::PolicySpec& spec = *table.state.spec;
    if (table.relation->schema != spec.schema || table.relation->name != spec.table) continue;
    const bool is_granted = spec.is_access_from_database && table.granted.contains(role);
    if (has(spec.readers, role) || has(spec.exempt_roles, role) || is_granted) return &table;
  }
  return nullptr;
}

bool is_exempt_from(const Snapshot::ProtectedTable& table, std::string_view role) {
  return has(table.state.spec->exempt_roles, role);
}

const Mask* mask_of_role(std::uint32_t oid, std::string_view role, const Snapshot& snapshot) {
  if (const Mask* mask = snapshot.catalog_mask(oid))
    return mask->table_oid == oid && mask->policy.empty() ? mask : nullptr;
  const Snapshot::ProtectedTable* table = protected_for(oid, role, snapshot);
  if (table == nullptr) return nullptr;
  if (const Mask* plain = table->plain.get(); plain != nullptr && is_exempt_from(*table, role))
    return plain->table_oid == oid && plain->policy.empty() ? plain : nullptr;
  const Mask* mask = table->mask.get();
  return mask != nullptr && is_masks_table(*mask, oid, *table) ? mask : nullptr;
}

std::string joined(const MaskText& parts, std::span<const std::size_t> left_out) {
  std::string out("SELECT");
  for (std::size_t i = 0; i < parts.columns.size(); ++i) {
    const MaskText::Column& column = parts.columns[i];
    out += i == 0 ? " " : ", ";
    out += std::ranges::binary_search(left_out, i) ? column.left_out : column.shown;
  }
  return out + parts.rest;
}

std::string text_in_place_of(const Splice& splice) {
  if (splice.own) return splice.own_text;
  const Mask& mask = *splice.mask;
  if (!mask.view.empty()) return mask.view_select;
  if (!splice.look_up.constants.empty()) return expected_look_up(mask, splice.left_out, splice.look_up);
  switch (splice.form) {
    case MaskForm::by_column: return joined(mask.parts, splice.left_out);
    case MaskForm::by_row: return joined(mask.by_row.value(), splice.left_out);
    case MaskForm::by_bitmap: return joined(mask.by_bitmap.value(), splice.left_out);
  }
  return {};
}

Result<void> verify_sent(std::string_view sent, std::string_view text, std::span<const Splice> splices) {
  std::size_t done = 0;
  const auto take = [&](std::string_view expected) {
    const bool is_next = sent.starts_with(expected);
    if (is_next) sent.remove_prefix(expected.size());
    return is_next;
  };
  for (const Splice& splice : splices) {
    if (splice.offset <= done || splice.offset + splice.bytes >= text.size() ||
        (splice.mask == nullptr) == !splice.own)
      return rejection("a mask out of its place");
    if (!take(text.substr(done, splice.offset - done)))
      return rejection("a text around masks that was changed");
    if (!take(text_in_place_of(splice))) return rejection("another text in the place of a mask");
    done = splice.offset + splice.bytes;
  }
  if (!take(text.substr(done)) || !sent.empty()) return rejection("a text around masks that was changed");
  return {};
}

}  // namespace pgveil::rewriter
