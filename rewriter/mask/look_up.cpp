#include "rewriter/mask/look_up.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/array_text.hpp"
#include "pg/print.hpp"
#include "rewriter/mask/mask_column.hpp"
#include "rewriter/mask/mask_text.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

std::string array_of(std::span<const std::string> values, std::string_view schema, std::string_view type) {
  pg::Arena arena;
  pg::Builder build(arena);
  return pg::print_expression(
      *build.cast(build.string_constant(array_text(values)), build.type_name(schema, type, true)));
}

// The released value, of the column's own type, that equals the constant; NULL: there is none.
std::string released(std::string_view values, std::string_view constant) {
  return fmt::format(
      "({0})[CASE WHEN pg_catalog.statement_timestamp() IS NOT NULL THEN pg_catalog.array_position({0}, {1}) "
      "END]",
      values, constant);
}

std::string condition(const LookUpColumn& column, std::span<const std::string> constants) {
  const std::string equals = column.column + " OPERATOR(pg_catalog.=) ";
  if (constants.size() == 1) return equals + released(column.values, constants.front());
  std::string out = equals + "ANY (ARRAY[";
  for (const std::string& constant : constants) {
    if (&constant != &constants.front()) out += ", ";
    out += released(column.values_of_list, constant);
  }
  return out + "])";
}

// Per node: whether a cohort ends below it. Children come after their parent.
std::vector<bool> nodes_with_cohorts(const policy::DisclosureTree& tree) {
  std::vector<bool> out(tree.nodes.size());
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const policy::Node& node = tree.nodes[i];
    out[i] = node.split ? out[node.yes] || out[node.no] : !node.falls_back;
  }
  return out;
}

LookUpColumn look_up_column(const policy::DisclosureTree& tree, std::uint32_t attribute, const Column& column,
                            const ComparableType& type) {
  LookUpColumn out;
  std::vector<std::string> values;
  const auto has_cohort = nodes_with_cohorts(tree);
  for (const policy::Node& node : tree.nodes) {
    if (!node.split || node.split->attribute != attribute || !has_cohort[node.yes]) continue;
    const auto [at, is_new] = out.rows.try_emplace(node.split->value, 0);
    at->second += tree.nodes[node.yes].rows;
    if (is_new) values.push_back(node.split->value);
  }
  pg::Arena arena;
  pg::Builder build(arena);
  out.column = pg::print_expression(*build.column({kMaskAlias, column.name}));
  out.values = out.values_of_list = array_of(values, type.literal_schema, type.literal_type);
  if (column.type_name == "varchar") out.values_of_list = array_of(values, column.type_schema, "varchar");
  out.type_schema = type.literal_schema;
  out.type_name = type.literal_type;
  return out;
}

}  // namespace

LookUpColumns look_up_columns(const Mask& mask, const policy::DisclosureTree& tree,
                              const Relation& relation) {
  LookUpColumns out;
  if (relation.kind != RelationKind::table || relation.has_children) return out;
  bool has_any = false;
  out.columns.resize(relation.columns.size());
  out.rows = tree.nodes.front().rows;
  for (std::size_t i = 0; i < relation.columns.size(); ++i) {
    const Column& column = relation.columns[i];
    if (std::ranges::find(relation.indexed, column.number) == relation.indexed.end()) continue;
    if (mask.shows_raw[i]) out.visible_keys.insert(column.name);
    const auto attribute = std::ranges::find(tree.attributes, column.number, &policy::TreeAttribute::number);
    const auto type = comparable_type(column);
    // A value of a level is no value of the raw column. For a domain the released values would have to be of
    // the type that its index is for.
    if (attribute == tree.attributes.end() || attribute->level || !mask.may_leave_out(i) || !type ||
        column.base)
      continue;
    const auto number = static_cast<std::uint32_t>(attribute - tree.attributes.begin());
    out.columns[i] = look_up_column(tree, number, column, *type);
    has_any = true;
  }
  if (!has_any) out.columns.clear();
  return out;
}

std::string look_up_select(const Mask& mask, std::span<const std::size_t> left_out, const LookUp& look_up) {
  const LookUpColumn& column = mask.look_ups.columns[look_up.position].value();
  return fmt::format(
      "SELECT * FROM ({} AND ({}) ORDER BY {alias}.ctid OFFSET 0) AS {alias} WHERE {} IS NOT NULL OFFSET 0",
      text_without(mask.parts, left_out), condition(column, look_up.constants), column.column,
      fmt::arg("alias", kMaskAlias));
}

std::size_t look_up_bytes(const LookUpColumn& column, std::size_t constants) {
  return 2 * constants * std::max(column.values.size(), column.values_of_list.size());
}

void put_condition(PgQuery__SelectStmt& stand_in, std::string_view column, std::span<Node* const> constants,
                   pg::Builder& build) {
  stand_in.where_clause = build.equals_any(build.column({column}), build.array(constants));
}

}  // namespace pgveil::rewriter
