#include "rewriter/verify/verify_bitmaps.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <set>
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

// The type that a column is compared as, of those whose equality nobody but the server defines.
std::string_view compared_type(const std::string& name, const Relation& relation) {
  const Column* column = relation.find_column(name);
  if (column == nullptr || column->base || column->type_schema != "pg_catalog")
    fail("a column of a plain type");
  constexpr auto kPlain =
      std::to_array<std::string_view>({"bool", "bpchar", "date", "float4", "float8", "int2", "int4", "int8",
                                       "numeric", "text", "timestamp", "timestamptz", "uuid"});
  if (column->type_name == "varchar") return "text";
  const auto* at = std::ranges::find(kPlain, column->type_name);
  if (at == kPlain.end()) fail("a column of a plain type");
  return *at;
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

BitmapDecision::BitmapDecision(const Node* decision, const Relation& relation) {
  const Element number = element_of(decision);
  for (const std::string& text : typed_elements(number.array, "int4")) {
    std::uint64_t& made = numbers_.emplace_back(0);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), made);
    if (error != std::errc{} || end != text.data() + text.size() || made > 0x7FFF'FFFF) fail("a number");
  }
  const PgQuery__FuncCall& place = call_of(number.place, "position");
  if (typed_text(place.args[1], "varbit") != "1") fail("the place of a bit");
  add_term(place.args[0], relation);
  for (const Term& term : terms_) {
    if (term.otherwise.size != terms_.front().otherwise.size) fail("bitmaps of one length");
  }
}

void BitmapDecision::add_term(const Node* node, const Relation& relation) {
  if (is_and(node)) {
    add_term(node->a_expr->lexpr, relation);
    return add_term(node->a_expr->rexpr, relation);
  }
  terms_.push_back(read_term(node, relation));
}

BitmapDecision::Term BitmapDecision::read_term(const Node* node, const Relation& relation) {
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_COALESCE_EXPR) || node->coalesce_expr->n_args != 2)
    fail("a bitmap for other values");
  const Element found = element_of(node->coalesce_expr->args[0]);
  const PgQuery__FuncCall& place = call_of(found.place, "array_position");
  Term term;
  term.column = column_of(place.args[1]);
  term.values = typed_elements(place.args[0], compared_type(term.column, relation));
  if (std::set<std::string_view>(term.values.begin(), term.values.end()).size() != term.values.size())
    fail("each value once");
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

void BitmapDecision::follows(const policy::DisclosureTree& tree, const TreeReading& reading) const {
  std::vector<std::size_t> attributes;  // by term
  for (const Term& term : terms_) {
    const auto at = std::ranges::find(tree.attributes, term.column, &policy::TreeAttribute::name);
    if (at == tree.attributes.end() || at->level) fail("a column of the tree");
    attributes.push_back(static_cast<std::size_t>(at - tree.attributes.begin()));
  }
  const std::size_t words = terms_.front().otherwise.words.size();
  std::vector<std::uint64_t> by_some(words), by_all(words), some(words), all(words);
  reading.for_each_leaf([&](const TreeReading::RowsOfLeaf& leaf) {
    std::ranges::fill(by_some, ~std::uint64_t{0});
    std::ranges::fill(by_all, ~std::uint64_t{0});
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const Term& term = terms_[t];
      const auto& column = leaf.columns[attributes[t]];
      std::ranges::fill(some, 0);
      std::ranges::fill(all, ~std::uint64_t{0});
      const auto add = [&](const Bits& bits) {
        for (std::size_t word = 0; word < words; ++word) {
          some[word] |= bits.words[word];
          all[word] &= bits.words[word];
        }
      };
      for (std::size_t i = 0; i < term.values.size(); ++i) {
        if (column.has(term.values[i])) add(term.bits[i]);
      }
      if (!column.only || std::ranges::find(term.values, *column.only) == term.values.end())
        add(term.otherwise);
      for (std::size_t word = 0; word < words; ++word) {
        by_some[word] &= some[word];
        by_all[word] &= all[word];
      }
    }
    has_number(by_some, leaf.released);
    if (leaf.released != 0 && std::ranges::all_of(by_all, [](std::uint64_t word) { return word == 0; }))
      fail("a bit for each row that shows something");
  });
}

// Each region that some of these bits stand for has this number.
void BitmapDecision::has_number(std::span<const std::uint64_t> bits, std::uint64_t number) const {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t left = bits[word]; left != 0;
         left &= ~(std::uint64_t{1} << 63U >> std::countl_zero(left))) {
      const std::size_t place = 64 * word + static_cast<std::size_t>(std::countl_zero(left));
      if ((place < numbers_.size() ? numbers_[place] : 0) != number) fail("the number of what a row shows");
    }
  }
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
