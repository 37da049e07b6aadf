#include "raw_reference.hpp"

#include "rewriter/pg/equal.hpp"
#include "rewriter/pg/fields.hpp"
#include "rewriter/pg/parse.hpp"

namespace pgveil::rewriter::test {
namespace {

template <class T>
const T* as(const ProtobufCMessage& message, const ProtobufCMessageDescriptor& kind) {
  return message.descriptor == &kind ? reinterpret_cast<const T*>(&message) : nullptr;
}

bool has_common_table_people(const ProtobufCMessage& tree) {
  bool found = false;
  walk(tree, [&](const ProtobufCMessage& message) {
    const auto* cte = as<PgQuery__CommonTableExpr>(message, pg_query__common_table_expr__descriptor);
    found |= cte != nullptr && std::string_view(cte->ctename) == "people";
    return true;
  });
  return found;
}

}  // namespace

const Mask& people_mask(const Snapshot& snapshot) {
  return *snapshot.protected_tables().front().mask;
}

bool names_people(const PgQuery__RangeVar& relation) {
  const std::string_view schema(relation.schemaname);
  return std::string_view(relation.relname) == "people" && (schema.empty() || schema == "public");
}

void walk(const ProtobufCMessage& message, const std::function<bool(const ProtobufCMessage&)>& visit) {
  if (!visit(message)) return;
  pg::for_each_child(message, [&](const auto&, const ProtobufCMessage& child) { walk(child, visit); });
}

std::string find_raw_reference(std::string_view sql, const Mask& mask) {
  const auto tree = pg::parse_own(sql, std::size_t{64} << 20);
  if (!tree) return "text that does not parse";
  if (tree->result->n_stmts != 1) return "text that is not one statement";
  const bool may_be_common_table = has_common_table_people(tree->result->base);
  std::string problem;
  walk(tree->result->base, [&](const ProtobufCMessage& message) {
    if (const auto* query = as<PgQuery__SelectStmt>(message, pg_query__select_stmt__descriptor))
      return !pg::equal(query->base, mask.select->base);
    const auto* relation = as<PgQuery__RangeVar>(message, pg_query__range_var__descriptor);
    if (relation == nullptr) return true;
    if (relation->schemaname == kStandInSchema) problem = "a stand-in";
    const bool is_bare = relation->schemaname[0] == '\0';
    if (names_people(*relation) && !(is_bare && may_be_common_table)) problem = "a raw reference";
    return true;
  });
  return problem;
}

}  // namespace pgveil::rewriter::test
