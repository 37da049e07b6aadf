#include "rewriter/catalog/search_path.hpp"

#include <doctest/doctest.h>

#include "fixture.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace {

using namespace pgveil::rewriter;
using Kind = PathEffect::Kind;

PathEffect set(Kind kind, SchemaNames names) {
  return {.kind = kind, .schemas = std::make_shared<const SchemaNames>(std::move(names))};
}
PathEffect named(Kind kind, std::string savepoint) {
  return {.kind = kind, .savepoint = std::move(savepoint)};
}
std::string text(const SearchPath& path) {
  return path.schemas() == nullptr ? "default" : schema_list_text(*path.schemas());
}

}  // namespace

TEST_CASE("a list of schemas is read as PostgreSQL reads it") {
  struct Row {
    const char* text;
    std::optional<SchemaNames> expected;
  };
  const Row rows[] = {{"", SchemaNames{}},
                      {"  ", SchemaNames{}},
                      {"public", SchemaNames{"public"}},
                      {" Public ,\"Hr\",\"a\"\"b, c\" ", SchemaNames{"public", "Hr", "a\"b, c"}},
                      {"\"$user\", public", SchemaNames{"$user", "public"}},
                      {"\"\"", SchemaNames{""}},
                      {"a,", std::nullopt},
                      {",a", std::nullopt},
                      {"a,,b", std::nullopt},
                      {"a b", std::nullopt},
                      {"\"a", std::nullopt},
                      {"\"a\"b", std::nullopt}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_schema_list(row.text) == row.expected);
  }
}

TEST_CASE("the shown text of a list reads back as the list") {
  for (const SchemaNames& names : {SchemaNames{}, SchemaNames{"public", "$user"},
                                   SchemaNames{"A", "a\"b", "a, b", ""}, SchemaNames{"1a", "_a$1"}}) {
    CHECK(parse_schema_list(schema_list_text(names)) == names);
  }
  CHECK(schema_list_text({"$user", "public", "Hr"}) == "\"$user\", public, \"Hr\"");
}

TEST_CASE("SET stays after a commit, SET LOCAL does not, a rollback takes back both") {
  SearchPath path;
  path.apply(set(Kind::set, {"a"}));
  path.apply(set(Kind::set_local, {"b"}));
  CHECK(text(path) == "b");
  path.apply({.kind = Kind::commit});
  CHECK(text(path) == "a");
  path.apply(set(Kind::set_local, {"b"}));
  path.apply(set(Kind::set, {"c"}));
  path.apply({.kind = Kind::rollback});
  CHECK(text(path) == "a");
  path.apply(set(Kind::set_local, {"b"}));
  path.apply(set(Kind::set, {"c"}));  // overrides the local one, as in PostgreSQL
  path.end_transaction();
  CHECK(text(path) == "c");
  path.apply({.kind = Kind::reset});
  path.end_transaction();
  CHECK(text(path) == "default");
}

TEST_CASE("a transaction with an error ends as a rollback, whatever it is told") {
  SearchPath path;
  path.apply(set(Kind::set, {"a"}));
  path.fail();
  path.apply({.kind = Kind::commit});
  CHECK(text(path) == "default");
  path.apply(set(Kind::set, {"a"}));
  path.fail();
  path.end_transaction();
  CHECK(text(path) == "default");
  path.apply(set(Kind::set, {"a"}));
  path.end_transaction();
  CHECK(text(path) == "a");
}

TEST_CASE("savepoints keep and bring back both values") {
  SearchPath path;
  path.apply(set(Kind::set, {"a"}));
  path.apply(named(Kind::savepoint, "s"));
  path.apply(set(Kind::set_local, {"b"}));
  path.apply(named(Kind::savepoint, "t"));
  path.apply(set(Kind::set, {"c"}));
  path.apply(named(Kind::savepoint, "s"));  // hides the first s
  path.apply(set(Kind::set, {"d"}));
  path.fail();
  path.apply(named(Kind::rollback_to, "s"));
  CHECK(text(path) == "c");
  path.apply(named(Kind::release, "s"));
  path.apply(named(Kind::rollback_to, "s"));
  CHECK(text(path) == "a");
  path.apply(named(Kind::rollback_to, "t"));  // gone with s: the server's error
  CHECK(text(path) == "a");
  path.apply(set(Kind::set_local, {"b"}));
  path.apply(named(Kind::release, "s"));  // a local value outlives the release, not the transaction
  CHECK(text(path) == "b");
  path.apply({.kind = Kind::commit});
  CHECK(text(path) == "a");
}

TEST_CASE("RESET returns to what the client asked for at start-up") {
  SearchPath path(SchemaNames{"a"});
  CHECK(text(path) == "a");
  path.apply(set(Kind::set, {"b"}));
  path.apply({.kind = Kind::reset_local});
  CHECK(text(path) == "a");
  path.end_transaction();
  CHECK(text(path) == "b");
  path.apply({.kind = Kind::reset});
  path.end_transaction();
  CHECK(text(path) == "a");
}

TEST_CASE("a hundred thousand savepoints are freed without recursion") {
  SearchPath path;
  for (int i = 0; i < 100'000; ++i) path.apply(named(Kind::savepoint, "s"));
  const SearchPath copy = path;
  path.apply(named(Kind::rollback_to, "s"));
  CHECK(copy.key() == path.key());
}

TEST_CASE("two paths under which a text could mean different things have different keys") {
  const auto path_of = [](std::initializer_list<PathEffect> effects) {
    SearchPath path;
    for (const PathEffect& effect : effects) path.apply(effect);
    return path.key();
  };
  CHECK(path_of({}).empty());
  CHECK(path_of({named(Kind::savepoint, "s")}).empty());  // nothing to come back to
  const std::string keys[] = {
      path_of({}),
      path_of({set(Kind::set, {"a"})}),
      path_of({set(Kind::set, {"a"}), {.kind = Kind::commit}}),
      path_of({set(Kind::set_local, {"a"})}),
      path_of({set(Kind::set, {"a", "b"})}),
      path_of({set(Kind::set, {"a1:b"})}),
      path_of({set(Kind::set, {})}),
      path_of({set(Kind::set, {"a"}), named(Kind::savepoint, "s")}),
      path_of({named(Kind::savepoint, "s"), set(Kind::set, {"a"})}),
      path_of({named(Kind::savepoint, "t"), set(Kind::set, {"a"})}),
      path_of({set(Kind::set, {"a"}), {.kind = Kind::reset}, set(Kind::set_local, {"b"})}),
      SearchPath(SchemaNames{"a"}).key(),
  };
  for (const std::string& left : keys) {
    for (const std::string& right : keys) CHECK((left == right) == (&left == &right));
  }
}

TEST_CASE("schemas that are not listed, temporary ones and doubles are skipped; the catalog comes first") {
  const auto catalog = test::demo_catalog();  // public, lab
  const auto resolve = [&](SchemaNames names) {
    return resolve_path(SearchPath(std::move(names)), *catalog, "lab");
  };
  CHECK(resolve_path(SearchPath(), *catalog, "x").schemas == SchemaNames{"pg_catalog", "public", "lab"});
  CHECK(resolve({"hr", "lab", "nowhere", "lab"}).schemas == SchemaNames{"pg_catalog", "lab"});
  CHECK(resolve({}).schemas == SchemaNames{"pg_catalog"});
  CHECK(resolve({"$user"}).schemas == SchemaNames{"pg_catalog", "lab"});
  CHECK(resolve({"pg_temp", "information_schema"}).schemas ==
        SchemaNames{"pg_catalog", "information_schema"});
  CHECK(resolve({"lab", "pg_catalog", "public"}).schemas == SchemaNames{"lab", "pg_catalog", "public"});
  CHECK_FALSE(resolve({"lab", "pg_catalog"}).is_catalog_implicit);
  CHECK(resolve({"lab"}).is_catalog_implicit);
}

TEST_CASE(
    "each statement knows its own part of the text, which is rewritten by itself as it was among others") {
  const auto snapshot = pgveil::rewriter::test::demo_snapshot();
  const std::string sql =
      " /* ä */ PREPARE a AS SELECT city FROM people ;SET search_path = public; -- one;\n"
      "DECLARE c CURSOR FOR SELECT 'é;' FROM people;;PREPARE b(int) AS SELECT $1";
  Client client{.role = "analyst"};
  const auto whole = rewrite(sql, client, *snapshot);
  REQUIRE(std::holds_alternative<Rewritten>(whole));
  const auto& statements = std::get<Rewritten>(whole).statements;
  REQUIRE(statements.size() == 4);
  for (const Statement& statement : statements) {
    const std::string own = sql.substr(statement.source_begin, statement.source_bytes);
    CAPTURE(own);
    const auto alone = rewrite(own, client, *snapshot);
    REQUIRE(std::holds_alternative<Rewritten>(alone));
    REQUIRE(std::get<Rewritten>(alone).statements.size() == 1);
    const Statement& again = std::get<Rewritten>(alone).statements.front();
    CHECK(again.sql == statement.sql);
    CHECK(again.name == statement.name);
    if (statement.path_effect) client.path.apply(*statement.path_effect);
  }
}
