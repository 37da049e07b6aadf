#include "rewriter/mask/mask_column.hpp"

#include <vector>

#include "common/array_text.hpp"
#include "pg/parse.hpp"
#include "rewriter/mask/mask_level.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

// For a domain it is the base type, because NULL need not be one of the domain's values, and the server would
// raise an error in the cast.
BaseType type_of_null(const Column& column) {
  return column.base ? *column.base
                     : BaseType{column.type_schema, column.type_name, column.type_text, column.typmod};
}

// The modifiers of a type as the server prints them ("numeric(10,2)"), parsed by the server's own grammar.
Result<std::vector<Node*>> modifiers_of(const Column& column, const BaseType& of, pg::Builder& build) {
  auto parsed = pg::parse_own("SELECT NULL::" + of.text, 10'000);
  if (!parsed) return parsed.error();
  const PgQuery__SelectStmt& select = *parsed->result->stmts[0]->stmt->select_stmt;
  const PgQuery__TypeName& type = *select.target_list[0]->res_target->val->type_cast->type_name;
  std::vector<Node*> out;
  for (const Node* modifier : pg::nodes(type.typmods, type.n_typmods)) {
    const bool is_integer = pg::is_kind(modifier, PG_QUERY__NODE__NODE_A_CONST) &&
                            modifier->a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL;
    if (!is_integer) {
      return Error{.kind = ErrorKind::policy,
                   .sqlstate = "0A000",
                   .public_message = "the type modifier of column \"" + column.name + "\" is not understood"};
    }
    out.push_back(build.integer_constant(modifier->a_const->ival->ival));
  }
  return out;
}

Result<PgQuery__TypeName*> modified_type(const BaseType& of, const Column& column, pg::Builder& build) {
  PgQuery__TypeName* type = build.type_name(of.schema, of.name);
  if (of.typmod < 0) return type;
  auto modifiers = modifiers_of(column, of, build);
  if (!modifiers) return modifiers.error();
  type->typmods = build.list(*modifiers);
  type->n_typmods = modifiers->size();
  return type;
}

Error changed() {
  return {.kind = ErrorKind::policy,
          .sqlstate = "42501",
          .public_message = "the table changed since its policy was built",
          .hint = "BUILD POLICY is needed"};
}

}  // namespace

Node* raw_column(std::string_view alias, std::string_view name, pg::Builder& build) {
  return alias.empty() ? build.column({name}) : build.column({alias, name});
}

Result<Node*> typed_null(const Column& column, pg::Builder& build) {
  const BaseType of = type_of_null(column);
  auto type = modified_type(of, column, build);
  if (!type) return type.error();
  Node* null = build.cast(build.null_constant(), *type);
  if (column.collation_name.empty()) return null;
  return build.collate(null, column.collation_schema, column.collation_name);
}

Result<TreeColumns> bind(const policy::DisclosureTree& tree, const Relation& relation) {
  TreeColumns out;
  for (const policy::TreeAttribute& attribute : tree.attributes) {
    const Column* column = relation.find_column(attribute.number);
    if (column == nullptr || column->name != attribute.name) return changed();
    const Column* source = attribute.level ? relation.find_column(attribute.level->source_number) : column;
    if (source == nullptr || (attribute.level && source->name != attribute.level->source)) return changed();
    auto type = comparable_type(*source);
    if (!type) return type.error();
    out.columns.push_back(source);
    out.types.push_back(*type);
    out.shown_in.push_back(column);
    out.levels.push_back(attribute.level ? &*attribute.level : nullptr);
  }
  return out;
}

Node* is_one_of(std::uint32_t attribute, std::span<const std::string> values, const TreeColumns& tree_columns,
                pg::Builder& build) {
  const Column& column = *tree_columns.columns[attribute];
  const ComparableType& type = tree_columns.types[attribute];
  if (const policy::Level* level = tree_columns.levels[attribute])
    return has_level_value(*level, values, {column.name, type, tree_columns.alias}, build);
  return is_equal_to_one(raw_column(tree_columns.alias, column.name, build), values, type, build);
}

Node* is_equal_to_one(Node* raw, std::span<const std::string> values, const ComparableType& type,
                      pg::Builder& build) {
  if (values.size() == 1) {
    return build.equals(raw, build.cast(build.string_constant(values.front()),
                                        build.type_name(type.literal_schema, type.literal_type)));
  }
  return build.equals_any(raw, build.cast(build.string_constant(array_text(values)),
                                          build.type_name(type.literal_schema, type.literal_type, true)));
}

Node* level_constant(std::size_t attribute, const std::string& value, const TreeColumns& tree_columns,
                     pg::Builder& build) {
  const Column& column = *tree_columns.shown_in[attribute];
  Node* constant =
      build.cast(build.string_constant(value), build.type_name(column.type_schema, column.type_name));
  if (column.collation_name.empty()) return constant;
  return build.collate(constant, column.collation_schema, column.collation_name);
}

Result<Node*> canonical_value(std::size_t attribute, const TreeColumns& tree_columns, pg::Builder& build) {
  const ComparableType& type = tree_columns.types[attribute];
  const Column& column = *tree_columns.columns[attribute];
  Node* raw = raw_column(tree_columns.alias, column.name, build);
  switch (type.canonical) {
    case Canonical::as_is: return raw;
    case Canonical::trim_scale: {
      Node* const arguments[] = {raw};
      return build.call("trim_scale", arguments);
    }
    case Canonical::plus_zero:
      return build.operation(
          "+", raw,
          build.cast(build.string_constant("0"), build.type_name(type.literal_schema, type.literal_type)));
    case Canonical::rtrim: {
      Node* const arguments[] = {build.cast(raw, build.type_name("pg_catalog", "text"))};
      return build.cast(build.call("rtrim", arguments), build.type_name("pg_catalog", "bpchar"));
    }
    case Canonical::modifier: {
      auto modified = modified_type(type_of_null(column), column, build);
      if (!modified) return modified.error();
      return build.cast(raw, *modified);
    }
  }
  return raw;
}

Result<Node*> released_value(const policy::Decision& decision, std::size_t attribute,
                             const TreeColumns& tree_columns, pg::Builder& build) {
  auto hidden = typed_null(*tree_columns.shown_in[attribute], build);
  if (!hidden || decision.arms.empty()) return hidden;
  std::vector<pg::Builder::When> arms;
  for (const policy::Arm& arm : decision.arms) {
    Result<Node*> shown = nullptr;
    if (!arm.then.empty()) {
      shown = released_value(arm.then.front(), attribute, tree_columns, build);
    } else if (tree_columns.levels[attribute] == nullptr) {
      shown = canonical_value(attribute, tree_columns, build);
    } else {
      shown = level_constant(attribute, arm.shows, tree_columns, build);
    }
    if (!shown) return shown;
    arms.push_back({is_one_of(arm.attribute, arm.values, tree_columns, build), *shown});
  }
  return build.searched_case(arms, *hidden);
}

}  // namespace pgveil::rewriter
