#include "rewriter/masks.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {

// A sample of a protected table is taken inside its mask: PostgreSQL samples tables, not sub-queries. The arguments stand
// before the table is in scope, so they can't name its raw columns; they see outer queries only, as outside the mask.
ColumnNames Resolver::sample(Node*& node, Scope& scope, const CteScope* ctes) {
  PgQuery__RangeTableSample& sample = *node->range_table_sample;
  if (!pg::is_kind(sample.relation, PG_QUERY__NODE__NODE_RANGE_VAR)) {
    refuse(Reason::node_kind, "TABLESAMPLE of something that is no table", {}, sample.location);
  }
  const auto method = pg::nodes(sample.method, sample.n_method);
  const std::string_view name = method.empty() ? std::string_view() : pg::string_of(method.back());
  if (method.size() != 1 || (name != "bernoulli" && name != "system")) {
    refuse(Reason::function_not_listed, "a sampling method that is not PostgreSQL's own", {},
           sample.location);
  }
  Scope outside{scope.outer, {}};
  expressions(pg::nodes(sample.args, sample.n_args), outside, ctes);
  optional_expression(sample.repeatable, outside, ctes);
  const ColumnNames columns = relation(sample.relation, scope, ctes);
  if (pg::is_kind(sample.relation, PG_QUERY__NODE__NODE_RANGE_VAR)) return columns;
  const Relation* table = scope.entries.back().masked;
  if (table == nullptr) {  // as PostgreSQL says it of a view
    name_error(sqlstate::kFeatureNotSupported,
               "TABLESAMPLE clause can only be applied to tables and materialized views", sample.location);
  }
  if (name == "system") {
    refuse(Reason::row_layout, "TABLESAMPLE SYSTEM of a protected table shows which rows are stored together",
           "use TABLESAMPLE BERNOULLI", sample.location);
  }
  const Mask& mask = *snapshot_.mask_for(table->oid, client_.role);
  if (!mask.view.empty()) {
    refuse(Reason::row_layout, "TABLESAMPLE of a protected table whose mask is a view",
           "use WHERE random() < 0.1, which samples without the table", sample.location);
  }
  if (mask.reads_copy) {
    refuse(Reason::row_layout, "TABLESAMPLE of a protected table that is read from a copy",
           "use WHERE random() < 0.1, which samples without the table", sample.location);
  }
  Node* masked = sample.relation;
  auto* sampled = build_.make<PgQuery__SelectStmt>(pg_query__select_stmt__descriptor);
  *sampled = *mask.select;  // no stand-in: it is not the mask to the letter
  sample.relation = sampled->from_clause[0];
  Node* const from[] = {node};
  sampled->from_clause = build_.list(from);
  masked->range_subselect->subquery = build_.select_node(sampled);
  node = masked;
  return columns;
}

}  // namespace pgveil::rewriter
