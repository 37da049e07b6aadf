#include <cstdlib>
#include <iterator>

#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

// Names of our own, which no column of a client has.
constexpr std::string_view kShare = "pgveil_s";
constexpr std::string_view kPercent = "percent";
constexpr std::string_view kMasked = "pgveil_m";
constexpr std::string_view kDrawn = "pgveil_t";

void check_method(const PgQuery__RangeTableSample& sample) {
  const auto method = pg::nodes(sample.method, sample.n_method);
  const std::string_view name = method.empty() ? std::string_view() : pg::string_of(method.back());
  if (method.size() != 1 || (name != "bernoulli" && name != "system")) {
    refuse(Reason::function_not_listed, "a sampling method that is not PostgreSQL's own", {},
           sample.location);
  }
}

// Whether it is a constant that PostgreSQL would reject, too. The value of a parameter is not checked: below
// 0 it draws no row, above 100 all of them.
bool is_no_share(const Node& percent) {
  if (!pg::is_kind(&percent, PG_QUERY__NODE__NODE_A_CONST)) return false;
  const PgQuery__AConst& constant = *percent.a_const;
  if (constant.isnull != 0) return true;
  if (constant.val_case == PG_QUERY__A__CONST__VAL_IVAL)
    return constant.ival->ival < 0 || constant.ival->ival > 100;
  return constant.val_case == PG_QUERY__A__CONST__VAL_FVAL && std::strtod(constant.fval->fval, nullptr) > 100;
}

// PostgreSQL's Bernoulli method hashes a seed and the place where a row is stored. With a seed that the
// client chooses, or finds by trying all 2^32, the returned rows tell where each one and the gaps between
// them are stored, which is what ctid would tell.
void check_protected(const PgQuery__RangeTableSample& sample) {
  if (pg::string_of(sample.method[0]) == "system") {
    refuse(Reason::row_layout, "TABLESAMPLE SYSTEM of a protected table shows which rows are stored together",
           "use TABLESAMPLE BERNOULLI", sample.location);
  }
  if (sample.repeatable != nullptr) {
    refuse(Reason::row_layout, "REPEATABLE samples of a protected table show where its rows are stored",
           "leave REPEATABLE out, because each sample is drawn anew", sample.location);
  }
  if (sample.n_args == 1 && is_no_share(*sample.args[0]))
    name_error("2202H", "sample percentage must be between 0 and 100", sample.location);
  if (sample.n_args != 1)
    name_error("2202H", "tablesample method bernoulli requires 1 argument, not another number",
               sample.location);
}

Node* star_of(std::string_view alias, pg::Builder& build) {
  Node* all = build.column({alias});
  Node* const path[] = {all->column_ref->fields[0], build.all_columns()->column_ref->fields[0]};
  all->column_ref->fields = build.list(path);
  all->column_ref->n_fields = std::size(path);
  return all;
}

void fence(PgQuery__SelectStmt& query, pg::Builder& build) {
  query.limit_offset = build.integer_constant(0);
  query.limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_COUNT;
}

// SELECT pgveil_t.* FROM (SELECT <percent>::float4 AS percent OFFSET 0) AS pgveil_s,
//   LATERAL (SELECT * FROM <mask> AS pgveil_m WHERE random() * 100 < pgveil_s.percent OFFSET 0) AS pgveil_t
// The share is computed where no column of the mask is in scope. Because of the second fence, the condition
// is evaluated for each row of the mask, and not once or for each row of a join.
PgQuery__SelectStmt* sampled(PgQuery__SelectStmt* mask, Node* percent, pg::Builder& build) {
  Node* const shares[] = {
      build.target(build.cast(percent, build.type_name("pg_catalog", "float4")), kPercent)};
  PgQuery__SelectStmt* share = build.select(shares, nullptr, nullptr);
  fence(*share, build);
  Node* number = build.operation("*", build.call("random", {}), build.integer_constant(100));
  Node* const columns[] = {build.target(build.all_columns(), "")};
  PgQuery__SelectStmt* drawn = build.select(columns, build.from_subquery(mask, build.alias(kMasked)),
                                            build.operation("<", number, build.column({kShare, kPercent})));
  fence(*drawn, build);
  Node* const targets[] = {build.target(star_of(kDrawn, build), "")};
  PgQuery__SelectStmt* out = build.select(targets, nullptr, nullptr);
  Node* const from[] = {build.from_subquery(share, build.alias(kShare)),
                        build.from_subquery(drawn, build.alias(kDrawn))};
  from[1]->range_subselect->lateral = 1;
  out->from_clause = build.list(from);
  out->n_from_clause = std::size(from);
  return out;
}

}  // namespace

// For an open table this is PostgreSQL's own sampling. For a protected one, random() draws the rows, outside
// of the mask. The arguments come before the table is in scope, so they see outer queries only.
ColumnNames Resolver::sample(Node*& node, Scope& scope, const CteScope* ctes) {
  PgQuery__RangeTableSample& sample = *node->range_table_sample;
  if (!pg::is_kind(sample.relation, PG_QUERY__NODE__NODE_RANGE_VAR)) {
    refuse(Reason::node_kind, "TABLESAMPLE of something that is not a table", {}, sample.location);
  }
  check_method(sample);
  Scope outside{scope.outer, {}};
  expressions(pg::nodes(sample.args, sample.n_args), outside, ctes);
  optional_expression(sample.repeatable, outside, ctes);
  const ColumnNames columns = relation(sample.relation, scope, ctes);
  if (pg::is_kind(sample.relation, PG_QUERY__NODE__NODE_RANGE_VAR)) return columns;
  if (scope.entries.back().masked == nullptr) {  // in the words that PostgreSQL uses for a view
    name_error(sqlstate::kFeatureNotSupported,
               "TABLESAMPLE clause can only be applied to tables and materialized views", sample.location);
  }
  check_protected(sample);
  PgQuery__RangeSubselect& masked = *sample.relation->range_subselect;
  masked.subquery = build_.select_node(sampled(masked.subquery->select_stmt, sample.args[0], build_));
  node = sample.relation;
  return columns;
}

}  // namespace pgveil::rewriter
