#include "rewriter/shape/opaque_literals.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "pg/fields.hpp"
#include "pg/parse.hpp"

namespace pgveil::rewriter {
namespace {

using Message = ProtobufCMessage;
using pg::Node;

// The input functions of these types look up no object by its name.
constexpr auto kPlainTypes = std::to_array<std::string_view>(
    {"bpchar", "date", "float4", "float8", "int2", "int4", "int8", "numeric", "text", "time", "timestamp",
     "timestamptz", "timetz", "uuid", "varchar"});

bool is_plain_type(const PgQuery__TypeName& type) {
  if (type.n_typmods > 0 || type.n_array_bounds > 0 || type.setof != 0 || type.pct_type != 0) return false;
  const auto names = pg::nodes(type.names, type.n_names);
  if (names.empty() || names.size() > 2) return false;
  if (names.size() == 2 && pg::string_of(names[0]) != "pg_catalog") return false;
  return std::ranges::find(kPlainTypes, pg::string_of(names.back())) != kPlainTypes.end();
}

class OperandFinder {
 public:
  void message(const Message& node) {
    if (node.descriptor == &pg_query__a__expr__descriptor)
      operands(reinterpret_cast<const PgQuery__AExpr&>(node));
    if (node.descriptor == &pg_query__range_function__descriptor ||
        node.descriptor == &pg_query__range_table_func__descriptor) {
      has_other_source_ = true;
    }
    if (node.descriptor == &pg_query__range_var__descriptor)
      relation(reinterpret_cast<const PgQuery__RangeVar&>(node));
    pg::for_each_child(node, [&](const ProtobufCFieldDescriptor&, const Message& child) { message(child); });
  }

  [[nodiscard]] bool has_other_source() const { return has_other_source_; }
  [[nodiscard]] const std::set<std::size_t>& places() const { return places_; }

 private:
  void operands(const PgQuery__AExpr& it) {
    operand(it.lexpr);
    if (!pg::is_kind(it.rexpr, PG_QUERY__NODE__NODE_LIST)) return operand(it.rexpr);
    for (const Node* item : pg::nodes(it.rexpr->list->items, it.rexpr->list->n_items)) operand(item);
  }

  void operand(const Node* node) {
    if (pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) {
      const PgQuery__TypeCast& cast = *node->type_cast;
      if (cast.type_name == nullptr || !is_plain_type(*cast.type_name)) return;
      node = cast.arg;
    }
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) || node->a_const->location < 0) return;
    places_.insert(static_cast<std::size_t>(node->a_const->location));
  }

  void relation(const PgQuery__RangeVar& it) {
    const std::string_view schema(it.schemaname);
    const bool is_named_like_catalog = std::string_view(it.relname).starts_with("pg_");
    has_other_source_ = has_other_source_ || is_named_like_catalog || schema.starts_with("pg_") ||
                        schema == "information_schema" || schema == "pgveil";
  }

  std::set<std::size_t> places_;  // byte offsets of constants
  bool has_other_source_ = false;
};

}  // namespace

OpaqueLiterals opaque_by_place(const TextShape& shape, std::size_t limit_bytes, int nesting) {
  OpaqueLiterals out(shape.literals.size(), false);
  const auto tree = pg::parse(shape.sql, {.bytes = limit_bytes, .nesting = nesting});
  if (!tree || tree->result->n_stmts != 1) return out;
  const Node* statement = tree->result->stmts[0]->stmt;
  if (!pg::is_kind(statement, PG_QUERY__NODE__NODE_SELECT_STMT)) return out;
  OperandFinder finder;
  finder.message(statement->base);
  if (finder.has_other_source()) return out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = finder.places().contains(shape.literals[i].offset);
  return out;
}

}  // namespace pgveil::rewriter
