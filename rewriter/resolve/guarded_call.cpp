#include "rewriter/resolve/guarded_call.hpp"

#include <string>
#include <vector>

#include "common/assert.hpp"
#include "rewriter/lists/quoting_index.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

// Where x stands, the only column in scope has this name, which no client's column has. Even if one had, the
// function would only get a harmless object.
constexpr std::string_view kObjects = "pgveil_d";
constexpr std::string_view kObject = "pgveil_o";
constexpr std::string_view kAlias = "d";

struct Objects {
  std::string_view catalog;
  std::string_view key;
  std::vector<Node*> harmless;
  std::string_view asked_as;  // type that x is cast to
};

// CASE WHEN d.indexprs::text ~ '…' OR d.indpred::text ~ '…' THEN false ELSE true END
Node* quotes_nothing(pg::Builder& build) {
  const auto has_constant = [&](std::string_view tree) {
    return build.operation("~",
                           build.cast(build.column({kAlias, tree}), build.type_name("pg_catalog", "text")),
                           build.string_constant(kQuotingTree));
  };
  Node* const quotes[] = {has_constant("indexprs"), has_constant("indpred")};
  const pg::Builder::When arms[] = {{build.any_of(quotes), build.false_constant()}};
  return build.searched_case(arms, build.true_constant());
}

Objects objects_of(FunctionRule rule, std::span<const std::uint32_t> as_they_are, pg::Builder& build) {
  switch (rule) {
    case FunctionRule::constraint_def: {
      Node* const kinds[] = {build.string_constant("p"), build.string_constant("u"),
                             build.string_constant("f")};
      Node* types = build.cast(build.array(kinds), build.type_name("pg_catalog", "char", true));
      return {"pg_constraint", "oid", {build.equals_any(build.column({kAlias, "contype"}), types)}, "oid"};
    }
    case FunctionRule::index_def: return {"pg_index", "indexrelid", {quotes_nothing(build)}, "oid"};
    case FunctionRule::description:
      return {"pg_depend",
              "objid",
              {build.equals(build.column({kAlias, "deptype"}), build.string_constant("e"))},
              "oid"};
    case FunctionRule::relation_size:
      return {"pg_class",
              "oid",
              {build.equals_any(build.column({kAlias, "oid"}), oid_array(as_they_are, build))},
              "regclass"};
    case FunctionRule::refused:
    case FunctionRule::allowed:
    case FunctionRule::metadata:
    case FunctionRule::null_value:
    case FunctionRule::unlock:
    case FunctionRule::right:
    case FunctionRule::current_setting:
    case FunctionRule::set_config:
    case FunctionRule::client_schema:
    case FunctionRule::client_schemas:
    case FunctionRule::client_role:
    case FunctionRule::identity_arguments:
    case FunctionRule::statement_clock: break;
  }
  PGVEIL_ASSERT(false);
  return {};
}

}  // namespace

std::size_t guarded_argument(FunctionRule rule) {
  return rule == FunctionRule::description ? 1 : 0;  // pg_describe_object(classid, objid, objsubid)
}

Node* oid_array(std::span<const std::uint32_t> oids, pg::Builder& build) {
  std::string text;
  for (const std::uint32_t oid : oids) text += (text.empty() ? "" : ",") + std::to_string(oid);
  return build.cast(build.string_constant('{' + text + '}'), build.type_name("pg_catalog", "oid", true));
}

void guard_call(PgQuery__FuncCall& call, FunctionRule rule, std::span<const std::uint32_t> as_they_are,
                pg::Builder& build) {
  Node*& asked = call.args[guarded_argument(rule)];
  const Objects objects = objects_of(rule, as_they_are, build);
  Node* const keys[] = {build.target(build.column({kAlias, objects.key}), kObject)};
  Node* harmless =
      build.from_subquery(build.select(keys, build.relation("pg_catalog", objects.catalog, kAlias),
                                       build.all_of(objects.harmless)),
                          build.alias(kObjects));
  Node* const targets[] = {build.target(build.column({kObjects, kObject}), "")};
  Node* is_asked = build.equals(build.column({kObjects, kObject}),
                                build.cast(asked, build.type_name("pg_catalog", objects.asked_as)));
  asked = build.scalar_subquery(build.select(targets, harmless, is_asked));
}

}  // namespace pgveil::rewriter
