// What designers are told of a table's columns.
#include "web/api/columns.hpp"

#include <doctest/doctest.h>

#include <boost/json/serialize.hpp>

#include "daemon/policies/table_survey.hpp"
#include "web/api/state.hpp"

namespace pgveil::app {
namespace {

db::ColumnFacts column(std::string name, std::optional<double> distinct) {
  db::ColumnFacts facts;
  facts.name = std::move(name);
  facts.type = "text";
  facts.distinct = distinct;
  return facts;
}

TEST_CASE("estimates of different values are numbers, whichever way PostgreSQL keeps them") {
  const auto answer =
      columns_json({200.0, {column("a", 12.0), column("b", -0.5), column("c", -1.0), column("d", {})}});
  const auto& columns = answer.at("columns").as_array();
  CHECK(answer.at("rows") == 200);
  CHECK(columns[0].at("distinct") == 12);
  CHECK(columns[1].at("distinct") == 100);
  CHECK(columns[2].at("distinct") == 200);
  CHECK(columns[3].at("distinct").is_null());
  CHECK_FALSE(columns[1].at("nearly_unique").as_bool());
  CHECK(columns[2].at("nearly_unique").as_bool());
}

TEST_CASE("of a table that was never analyzed nothing is estimated") {
  const auto answer = columns_json({{}, {column("a", {}), column("b", -1.0)}});
  CHECK(answer.at("rows").is_null());
  for (const auto& it : answer.at("columns").as_array()) CHECK(it.at("distinct").is_null());
}

TEST_CASE("hints come from names alone") {
  const auto answer = columns_json({{}, {column("email", {}), column("shoe_size", {})}});
  CHECK_FALSE(answer.at("columns").as_array()[0].at("hints").as_array().empty());
  CHECK(answer.at("columns").as_array()[1].at("hints").as_array().empty());
}

TEST_CASE("schemas of PostgreSQL and of pgveil are not users'") {
  for (const char* schema : {"pg_catalog", "pg_toast", "pg_temp_3", "information_schema", "pgveil"}) {
    CAPTURE(schema);
    CHECK_FALSE(is_users_place(schema));
  }
  for (const char* schema : {"public", "hr", "pgveil2", "Pg"}) CHECK(is_users_place(schema));
}

TEST_CASE("a table is named with its schema, in a database that is served") {
  Config config;
  config.backend.databases = {"demo"};
  const auto found = table_named(config, "demo", "public.a.b");
  REQUIRE(found.has_value());
  CHECK(found->schema == "public");
  CHECK(found->name == "a.b");
  for (const char* name : {"", "people", ".people", "public.", "pg_catalog.pg_authid", "pgveil.version"}) {
    CAPTURE(name);
    CHECK(table_named(config, "demo", name).has_error());
  }
  CHECK(table_named(config, "other", "public.people").has_error());
}

TEST_CASE("a policy is built by one at a time, another one beside it") {
  BuildTurns turns;
  {
    const BuildTurns::Turn first(turns, "a");
    const BuildTurns::Turn second(turns, "a");
    const BuildTurns::Turn other(turns, "b");
    CHECK(first.is_taken());
    CHECK_FALSE(second.is_taken());
    CHECK(other.is_taken());
    {
      const BuildTurns::Turn third(turns, "a");
      CHECK_FALSE(third.is_taken());
    }
    CHECK_FALSE(BuildTurns::Turn(turns, "a").is_taken());
  }
  CHECK(BuildTurns::Turn(turns, "a").is_taken());
}

}  // namespace
}  // namespace pgveil::app
