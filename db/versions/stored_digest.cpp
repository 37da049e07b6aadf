#include "db/versions/stored_digest.hpp"

#include <fmt/format.h>

#include <set>
#include <string>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/relation_query.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"
#include "rewriter/mask/stored_decision.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kDigestSchema = "pgveil";

constexpr const char* kMayCreate =
    "SELECT pg_catalog.has_schema_privilege('pgveil', 'CREATE'), "
    "pg_catalog.pg_current_xact_id()::pg_catalog.text";

// The definitions of the columns that the expression names.
std::string column_definitions(const policy::DisclosureTree& tree, const rewriter::Relation& relation) {
  std::set<int> numbers;
  for (const auto& attribute : tree.attributes)
    numbers.insert(attribute.level ? attribute.level->source_number : attribute.number);
  std::string out;
  for (const int number : numbers) {
    const rewriter::Column& column = *relation.find_column(number);
    out += fmt::format("{} {}", quoted_name(column.name), column.type_text);
    if (!column.collation_name.empty())
      out += " COLLATE " + qualified_name(column.collation_schema, column.collation_name);
    out += ", ";
  }
  return out;
}

Result<policy::StoredDecision> ask(TableReading& reading, const policy::DisclosureTree& tree,
                                   const rewriter::StoredExpression& expression) {
  Connection& server = reading.connection();
  const auto asked = server.run(kMayCreate);
  if (!asked[0][0].as<bool>()) {
    return Error{ErrorKind::configuration, std::string(sqlstate::kInsufficientPrivilege),
                 "enforcement: stored needs admin_role to create tables in the schema pgveil",
                 "run what pgveil setup-sql prints"};
  }
  const auto name = "stored." + asked[0][1].as<std::string>();
  server.run(fmt::format("CREATE TABLE {} ({}{} integer GENERATED ALWAYS AS ({}) STORED)",
                         qualified_name(kDigestSchema, name), column_definitions(tree, reading.relation()),
                         quoted_name(expression.column), expression.text));
  const auto made = one_relation(server, kDigestSchema, name);
  if (made && made->stored.size() == 1 && made->stored.front().name == expression.column)
    return policy::StoredDecision{expression.column, made->stored.front().digest};
  return Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
               "the server did not keep the decisions' expression as a generated column",
               "write enforcement: query"};
}

}  // namespace

Result<policy::StoredDecision> stored_decision(TableReading& reading, const policy::DisclosureTree& tree) {
  const auto expression = rewriter::stored_expression(tree, reading.relation());
  if (!expression) return expression.error();
  return guarded<policy::StoredDecision>(
      "asking the server for the stored column of policy " + reading.spec().name,
      [&] { return ask(reading, tree, *expression); });
}

}  // namespace pgveil::db
