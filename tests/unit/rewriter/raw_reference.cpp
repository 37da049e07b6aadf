#include "raw_reference.hpp"

#include "pg/equal.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"

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

// The mask, or the mask with a Bernoulli sample of its table, whose arguments are then `sample`'s.
bool is_mask(const PgQuery__SelectStmt& query, const ProtobufCMessage& mask,
             const PgQuery__RangeTableSample*& sample) {
  PgQuery__SelectStmt whole = query;
  pg::Node* table = nullptr;
  if (query.n_from_clause == 1 &&
      pg::is_kind(query.from_clause[0], PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE)) {
    sample = query.from_clause[0]->range_table_sample;
    if (sample->n_method != 1 || pg::string_of(sample->method[0]) != "bernoulli") return false;
    table = sample->relation;
    whole.from_clause = &table;
  }
  return pg::equal(whole.base, mask);
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
  const auto mask_tree = pg::parse_own(mask.text, std::size_t{64} << 20);
  if (!mask_tree) return "a mask that does not parse";
  const ProtobufCMessage& whole_mask = mask_tree->result->stmts[0]->stmt->select_stmt->base;
  const bool may_be_common_table = has_common_table_people(tree->result->base);
  std::string problem;
  const std::function<bool(const ProtobufCMessage&)> visit = [&](const ProtobufCMessage& message) {
    if (const auto* query = as<PgQuery__SelectStmt>(message, pg_query__select_stmt__descriptor)) {
      const PgQuery__RangeTableSample* sample = nullptr;
      if (!is_mask(*query, whole_mask, sample)) return true;
      if (sample == nullptr) return false;
      for (const pg::Node* argument : pg::nodes(sample->args, sample->n_args)) walk(argument->base, visit);
      if (sample->repeatable != nullptr) walk(sample->repeatable->base, visit);
      return false;
    }
    const auto* relation = as<PgQuery__RangeVar>(message, pg_query__range_var__descriptor);
    if (relation == nullptr) return true;
    if (relation->schemaname == kStandInSchema) problem = "a stand-in";
    const bool is_bare = relation->schemaname[0] == '\0';
    if (names_people(*relation) && !(is_bare && may_be_common_table)) problem = "a raw reference";
    return true;
  };
  walk(tree->result->base, visit);
  return problem;
}

}  // namespace pgveil::rewriter::test
