#include "rewriter/resolve/definitions.hpp"

#include <vector>

namespace pgveil::rewriter {
namespace {

using pg::Node;

// Inner columns are named so that nothing in x can bind to them.
constexpr std::string_view kAlias = "pgveil_d";

Node* harmless(std::string_view function, pg::Builder& build) {
  if (function == "pg_get_constraintdef") {
    Node* const kinds[] = {build.string_constant("p"), build.string_constant("u"),
                           build.string_constant("f")};
    return build.equals_any(build.column({kAlias, "contype"}),
                            build.cast(build.array(kinds), build.type_name("pg_catalog", "char", true)));
  }
  Node* const both[] = {build.is_null(build.column({kAlias, "indexprs"})),
                        build.is_null(build.column({kAlias, "indpred"}))};
  return build.all_of(both);
}

}  // namespace

Node* wrap_definition(PgQuery__FuncCall& call, pg::Builder& build) {
  const std::string_view function = pg::string_of(call.funcname[call.n_funcname - 1]);
  const bool is_constraint = function == "pg_get_constraintdef";
  Node* found = build.node(PG_QUERY__NODE__NODE_FUNC_CALL);
  found->func_call = &call;

  const std::string_view key = is_constraint ? "oid" : "indexrelid";
  Node* const targets[] = {build.target(build.column({kAlias, key}), "")};
  Node* from = build.relation("pg_catalog", is_constraint ? "pg_constraint" : "pg_index", kAlias);
  Node* oids = build.scalar_subquery(build.select(targets, from, harmless(function, build)));
  oids->sub_link->sub_link_type = PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK;
  const pg::Builder::When arms[] = {
      {build.equals_any(build.cast(call.args[0], build.type_name("pg_catalog", "oid")), oids), found}};
  return build.searched_case(arms, build.cast(build.null_constant(), build.type_name("pg_catalog", "text")));
}

}  // namespace pgveil::rewriter
