#pragma once
// The complete list of the parse tree: each kind of node that may stand in a statement that is sent, and each
// of its fields, with what happens to the field or why it is harmless. This table drives the verifier, which
// refuses a kind or field that is not in it, a value that it does not list, and a field that must be empty
// and is not. Fields that not every parser has are marked with the majors that do, so the table lists for
// each libpg_query exactly the fields that it has. If another one has different nodes, the verifier refuses
// these until their fields are entered here.
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "pg/ast.hpp"

namespace pgveil::rewriter {

enum class FieldUse {
  walked,    // nodes: the verifier visits them
  query,     // one node, which must be a SELECT: visited
  names,     // String nodes that name things inside the statement (columns of an alias, of USING)
  checked,   // the kind's NodeCheck has a rule for it; nodes are visited too
  label,     // a name that the client gives to something in its own statement or session
  value,     // a number or text that names nothing
  flag,      // either value is harmless
  choice,    // an enum: only the values listed in `values`
  position,  // in the text
  empty      // must have its default: the parser leaves it so, or any other value is not allowed
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
  int first_parser = 0;      // the majors of PostgreSQL whose parsers have the field, both inclusive
  int last_parser = 99;
};

struct KindRule {
  const ProtobufCMessageDescriptor* kind = nullptr;
  NodeCheck check = NodeCheck::none;
  std::span<const FieldRule> fields;  // as many as the descriptor has, in its order and with its names
};

// Those of the fields that the parser of this major has, in the same order.
[[nodiscard]] std::vector<FieldRule> fields_of_parser(std::span<const FieldRule> fields, int major);

// The rule for a kind; nullptr: the kind may not stand anywhere, or its fields are not the ones listed.
[[nodiscard]] const KindRule* kind_rule(const ProtobufCMessageDescriptor& kind);
// All listed kinds with the fields of this parser, whether they fit the library or not. For tests and
// documentation.
[[nodiscard]] std::span<const KindRule> listed_kinds();
[[nodiscard]] bool fits(const KindRule& rule);

[[nodiscard]] std::string_view use_name(FieldUse use);

}  // namespace pgveil::rewriter
