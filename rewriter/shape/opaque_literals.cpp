#include "rewriter/shape/opaque_literals.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

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

// `a BETWEEN b AND c` is `a >= b AND a <= c` to PostgreSQL, and with SYMMETRIC the same again with b and c
// exchanged.
bool is_symmetric(const PgQuery__AExpr& it) {
  return it.kind == PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM ||
         it.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM;
}

bool is_between(const PgQuery__AExpr& it) {
  return it.kind == PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN ||
         it.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN || is_symmetric(it);
}

bool is_text(const PgQuery__AConst& it) {
  return it.isnull == 0 && it.val_case == PG_QUERY__A__CONST__VAL_SVAL;
}

class OperandFinder {
 public:
  void message(const Message& node) {
    if (node.descriptor == &pg_query__a__expr__descriptor)
      return expression(reinterpret_cast<const PgQuery__AExpr&>(node));
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
  // PostgreSQL reads the left operand of BETWEEN once for each limit, with all that is in it. Of IN it reads
  // the operand once, but gives it a type for each element.
  void expression(const PgQuery__AExpr& it) {
    const bool is_in = it.kind == PG_QUERY__A__EXPR__KIND__AEXPR_IN;
    operands(it.lexpr, is_in || is_between(it));
    below(it.lexpr, is_between(it));
    operands(it.rexpr, is_symmetric(it));
    below(it.rexpr, is_symmetric(it));
  }

  void operands(const Node* node, bool has_types) {
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_LIST)) return operand(node, has_types);
    for (const Node* item : pg::nodes(node->list->items, node->list->n_items)) operand(item, has_types);
  }

  // has_types: a text there may have more than one.
  void operand(const Node* node, bool has_types) {
    if (pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) {
      const PgQuery__TypeCast& cast = *node->type_cast;
      if (cast.type_name == nullptr || !is_plain_type(*cast.type_name)) return;
      node = cast.arg;
      has_types = false;
    } else {
      has_types = has_types || is_read_again_;
    }
    if (!pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST) || node->a_const->location < 0) return;
    if (has_types && is_text(*node->a_const)) return;
    places_.insert(static_cast<std::size_t>(node->a_const->location));
  }

  void below(const Node* node, bool is_read_again) {
    if (node == nullptr) return;
    const bool before = std::exchange(is_read_again_, is_read_again_ || is_read_again);
    message(node->base);
    is_read_again_ = before;
  }

  void relation(const PgQuery__RangeVar& it) {
    const std::string_view schema(it.schemaname);
    const bool is_named_like_catalog = std::string_view(it.relname).starts_with("pg_");
    has_other_source_ = has_other_source_ || is_named_like_catalog || schema.starts_with("pg_") ||
                        schema == "information_schema" || schema == "pgveil";
  }

  std::set<std::size_t> places_;  // byte offsets of constants
  bool has_other_source_ = false;
  bool is_read_again_ = false;  // PostgreSQL reads what is visited more than once
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
