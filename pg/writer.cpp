#include "pg/writer.hpp"

namespace pgveil::pg {

void Writer::dotted_name(std::span<Node* const> parts) {
  bool first = true;
  for (const Node* part : parts) {
    if (!first) text(".");
    first = false;
    if (is_kind(part, PG_QUERY__NODE__NODE_A_STAR)) {
      text("*");
    } else if (is_kind(part, PG_QUERY__NODE__NODE_STRING)) {
      identifier(part->string->sval);
    } else {
      throw CannotPrint("a name with an unknown part");
    }
  }
}

void Writer::operator_name(std::span<Node* const> parts) {
  if (parts.size() == 1) {
    text(string_of(parts[0]));
    return;
  }
  if (parts.size() != 2) throw CannotPrint("an operator with more than a schema");
  text("OPERATOR(");
  identifier(parts[0]->string->sval);
  text(".");
  text(string_of(parts[1]));
  text(")");
}

void Writer::type(const PgQuery__TypeName& type) {
  if (type.setof != 0 || type.pct_type != 0 || type.n_names != 2) throw CannotPrint("an unusual type name");
  dotted_name(nodes(type.names, type.n_names));
  if (type.n_typmods > 0) {
    text("(");
    expression_list(nodes(type.typmods, type.n_typmods));
    text(")");
  }
  for (const Node* bound : nodes(type.array_bounds, type.n_array_bounds)) {
    if (!is_kind(bound, PG_QUERY__NODE__NODE_INTEGER)) throw CannotPrint("an unusual array bound");
    text("[");
    if (bound->integer->ival >= 0) text(std::to_string(bound->integer->ival));
    text("]");
  }
}

void Writer::alias(const PgQuery__Alias& alias) {
  text(" AS ");
  identifier(alias.aliasname);
  if (alias.n_colnames > 0) {
    text("(");
    name_list(nodes(alias.colnames, alias.n_colnames));
    text(")");
  }
}

void Writer::name_list(std::span<Node* const> names) {
  bool first = true;
  for (const Node* name : names) {
    if (!is_kind(name, PG_QUERY__NODE__NODE_STRING)) throw CannotPrint("a list of names with something else");
    if (!first) text(", ");
    first = false;
    identifier(name->string->sval);
  }
}

void Writer::expression_list(std::span<Node* const> items) {
  bool first = true;
  for (const Node* item : items) {
    if (!first) text(", ");
    first = false;
    expression(*item);
  }
}

}  // namespace pgveil::pg
