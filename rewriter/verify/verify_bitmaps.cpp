#include "rewriter/verify/verify_bitmaps.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>

namespace pgveil::rewriter {
namespace {

using pg::Node;

bool is_type(const PgQuery__TypeName* type, std::string_view name, bool is_array) {
  return type != nullptr && type->n_names == 2 && pg::string_of(type->names[0]) == "pg_catalog" &&
         pg::string_of(type->names[1]) == name && type->n_typmods == 0 && type->setof == 0 &&
         type->n_array_bounds == (is_array ? 1U : 0U);
}

std::string typed_text(const Node* node, std::string_view type) {
  const PgQuery__TypeCast& cast = cast_of(node);
  if (!is_type(cast.type_name, type, false)) fail("a constant of the type " + std::string(type));
  return text_constant(cast.arg);
}

std::vector<std::string> typed_elements(const Node* node, std::string_view type) {
  const PgQuery__TypeCast& cast = cast_of(node);
  if (!is_type(cast.type_name, type, true)) fail("an array of the type " + std::string(type));
  return array_elements(cast.arg);
}

const PgQuery__FuncCall& call_of(const Node* node, std::string_view function) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_FUNC_CALL)) fail("a call");
  const PgQuery__FuncCall& call = *node->func_call;
  const bool is_plain_call = call.n_agg_order == 0 && call.agg_filter == nullptr && call.over == nullptr &&
                             call.agg_within_group == 0 && call.agg_star == 0 && call.agg_distinct == 0 &&
                             call.func_variadic == 0;
  if (!is_plain_call || call.n_funcname != 2 || pg::string_of(call.funcname[0]) != "pg_catalog" ||
      pg::string_of(call.funcname[1]) != function || call.n_args != 2)
    fail("a call of " + std::string(function) + " with two arguments");
  return call;
}

struct Element {
  const Node* array;
  const Node* place;
};

// (array)[place]
Element element_of(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_INDIRECTION) || node->a_indirection->n_indirection != 1 ||
      !pg::is_kind(node->a_indirection->indirection[0], PG_QUERY__NODE__NODE_A_INDICES))
    fail("an element of an array");
  const PgQuery__AIndices& place = *node->a_indirection->indirection[0]->a_indices;
  if (place.is_slice != 0 || place.lidx != nullptr || place.uidx == nullptr) fail("one element of an array");
  return {node->a_indirection->arg, place.uidx};
}

bool is_and(const Node* node) {
  return pg::is_kind(node, PG_QUERY__NODE__NODE_A_EXPR) &&
         node->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP && node->a_expr->n_name == 2 &&
         pg::string_of(node->a_expr->name[0]) == "pg_catalog" && pg::string_of(node->a_expr->name[1]) == "&";
}

}  // namespace

BitmapDecision::BitmapDecision(const Node* decision) {
  const Element number = element_of(decision);
  for (const std::string& text : typed_elements(number.array, "int4")) {
    std::uint64_t& made = numbers_.emplace_back(0);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), made);
    if (error != std::errc{} || end != text.data() + text.size() || made > 0x7FFF'FFFF) fail("a number");
  }
  const PgQuery__FuncCall& place = call_of(number.place, "position");
  if (typed_text(place.args[1], "varbit") != "1") fail("the place of a bit");
  add_term(place.args[0]);
  for (const Term& term : terms_) {
    if (term.otherwise.size != terms_.front().otherwise.size) fail("bitmaps of one length");
  }
}

void BitmapDecision::add_term(const Node* node) {
  if (is_and(node)) {
    add_term(node->a_expr->lexpr);
    return add_term(node->a_expr->rexpr);
  }
  terms_.push_back(read_term(node));
}

BitmapDecision::Term BitmapDecision::read_term(const Node* node) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_COALESCE_EXPR) || node->coalesce_expr->n_args != 2)
    fail("a bitmap for other values");
  const Element found = element_of(node->coalesce_expr->args[0]);
  const PgQuery__FuncCall& place = call_of(found.place, "array_position");
  const PgQuery__TypeCast& values = cast_of(place.args[0]);
  if (values.type_name == nullptr || values.type_name->n_array_bounds != 1) fail("an array of values");
  Term term;
  term.column = column_of(place.args[1]);
  term.values = array_elements(values.arg);
  for (const std::string& text : typed_elements(found.array, "varbit")) term.bits.push_back(read_bits(text));
  term.otherwise = read_bits(typed_text(node->coalesce_expr->args[1], "varbit"));
  if (term.values.size() != term.bits.size()) fail("a bitmap for each value");
  for (const Bits& bits : term.bits) {
    if (bits.size != term.otherwise.size) fail("bitmaps of one length");
  }
  return term;
}

BitmapDecision::Bits BitmapDecision::read_bits(const std::string& text) {
  if (!text.starts_with('x')) fail("a hexadecimal bit string");
  Bits bits;
  for (const char c : std::string_view(text).substr(1)) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c < 'A' || c > 'F')) fail("a hexadecimal digit");
    const auto digit = static_cast<std::uint64_t>(is_digit ? c - '0' : c - 'A' + 10);
    if (bits.size % 64 == 0) bits.words.push_back(0);
    bits.words.back() |= digit << (60 - bits.size % 64);
    bits.size += 4;
  }
  return bits;
}

std::vector<MaskReader::Test> BitmapDecision::tests() const {
  std::vector<MaskReader::Test> out;
  for (const Term& term : terms_) {
    MaskReader::Test& test = out.emplace_back();
    test.column = term.column;
    test.values.insert(term.values.begin(), term.values.end());
  }
  return out;
}

std::uint64_t BitmapDecision::released(const MaskRow& row) const {
  std::vector<const Bits*> all;
  for (const Term& term : terms_) {
    const auto value = row.find(term.column);
    if (value == row.end()) fail("a quasi-identifier");
    // The first of equal elements, as array_position finds it.
    const auto at = value->second ? std::ranges::find(term.values, *value->second) : term.values.end();
    all.push_back(at == term.values.end() ? &term.otherwise
                                          : &term.bits[static_cast<std::size_t>(at - term.values.begin())]);
  }
  for (std::size_t word = 0; word < all.front()->words.size(); ++word) {
    std::uint64_t left = ~std::uint64_t{0};
    for (const Bits* bits : all) left &= bits->words[word];
    if (left == 0) continue;
    const std::size_t place = 64 * word + static_cast<std::size_t>(std::countl_zero(left));
    return place < numbers_.size() ? numbers_[place] : 0;
  }
  return 0;
}

}  // namespace pgveil::rewriter
