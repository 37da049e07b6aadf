#pragma once
// The one account of the parse tree: each kind of node that may stand in a statement that is sent, and each
// of its fields, with what becomes of the field or why it is harmless. The verifier is driven by this table:
// a kind or field that is not in it, a value that it does not list and a field that must be empty and is not
// are refused. A libpg_query whose nodes differ is refused the same way, until its fields are entered here.
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "pg/ast.hpp"

namespace pgveil::rewriter {

enum class FieldUse {
  walked,    // nodes: the verifier visits them
  query,     // one node, which must be a SELECT: visited
  names,     // String nodes that name things of the statement's own (columns of an alias, of USING)
  checked,   // the kind's NodeCheck has a rule for it; nodes are visited too
  label,     // a name the client gives to a thing of its own statement or session: it can name nothing else
  value,     // a number or text that names nothing
  flag,      // either value is harmless
  choice,    // an enum: only the values listed in `values`
  position,  // in the text
  empty      // must have its default: the parser leaves it so, or what it says is not let through
};

// The rule of verify.cpp for a kind of node, beyond its fields.
enum class NodeCheck {
  none,
  select,
  relation,
  subselect,
  sample,
  call,
  case_expression,
  type,
  collation,
  column,
  indirection,
  operation,
  sub_link,
  sort,
  join,
  copy,
  set,
  show,
  transaction,
  explain
};

struct FieldRule {
  std::string_view name;
  FieldUse use = FieldUse::empty;
  std::string_view because;  // why this use is right, where the use alone does not say it
  std::uint32_t values = 0;  // choice: bit n is set when enum value n may stand
};

struct KindRule {
  const ProtobufCMessageDescriptor* kind = nullptr;
  NodeCheck check = NodeCheck::none;
  std::span<const FieldRule> fields;  // as many, in the same order and of the same names as the descriptor's
};

// The rule of a kind; nullptr: it may not stand anywhere. Also nullptr for a kind whose fields are not the
// ones listed.
[[nodiscard]] const KindRule* kind_rule(const ProtobufCMessageDescriptor& kind);
// All that is listed, whether it fits the library or not. For tests and documentation.
[[nodiscard]] std::span<const KindRule> listed_kinds();
[[nodiscard]] bool fits(const KindRule& rule);

[[nodiscard]] std::string_view use_name(FieldUse use);

}  // namespace pgveil::rewriter
