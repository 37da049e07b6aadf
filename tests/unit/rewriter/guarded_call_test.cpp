// Functions that may be asked about some objects only: what they get comes out of a guard, which the verifier
// knows to the letter.
#include <doctest/doctest.h>

#include <string>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

std::string sent(const std::string& sql, const std::string& role = "analyst") {
  static const auto snapshot = rewriter::test::demo_snapshot();
  const auto verdict = rewrite(sql, {role}, *snapshot);
  REQUIRE_MESSAGE(std::holds_alternative<Rewritten>(verdict), sql);
  return std::get<Rewritten>(verdict).statements.front().sql;
}

bool is_refused(const std::string& sql) {
  static const auto snapshot = rewriter::test::demo_snapshot();
  return std::holds_alternative<Refusal>(rewrite(sql, {"analyst"}, *snapshot));
}

bool is_verified(const std::string& expression, const std::string& role = "analyst") {
  static const auto snapshot = rewriter::test::demo_snapshot();
  const std::string text = "SELECT " + expression;
  const auto tree = pg::parse_own(text, 100'000);
  REQUIRE_MESSAGE(tree.has_value(), text);
  return verify(text, tree->result->stmts[0]->stmt->base, role, *snapshot, 100'000).has_value();
}

std::string guard(const std::string& objects, const std::string& asked) {
  return "(SELECT pgveil_d.pgveil_o FROM (SELECT " + objects +
         ") AS pgveil_d WHERE pgveil_d.pgveil_o OPERATOR(pg_catalog.=) " + asked + ")";
}

std::string sizes(const std::string& oids, const std::string& asked = "$1::pg_catalog.regclass",
                  const std::string& function = "pg_relation_size") {
  return "pg_catalog." + function + "(" +
         guard("d.oid AS pgveil_o FROM pg_catalog.pg_class AS d WHERE d.oid OPERATOR(pg_catalog.=) ANY ('" +
                   oids + "'::pg_catalog.oid[])",
               asked) +
         ")";
}

const std::string kHarmless =
    "d.contype OPERATOR(pg_catalog.=) ANY (ARRAY['p', 'u', 'f']::pg_catalog.\"char\"[])";

std::string constraints(const std::string& condition, const std::string& asked = "$1::pg_catalog.oid",
                        const std::string& function = "pg_get_constraintdef") {
  return "pg_catalog." + function + "(" +
         guard("d.oid AS pgveil_o FROM pg_catalog.pg_constraint AS d WHERE " + condition, asked) + ")";
}

}  // namespace

TEST_CASE("sizes are told of tables that the role reads as they are") {
  // 101 and 105 are cities, 104 "People"; 100 is people, which dpo alone reads as it is.
  CHECK(sent("SELECT pg_relation_size('people') AS a, pg_table_size($1) AS b, pg_indexes_size('x'::text) AS "
             "c") ==
        "SELECT " + sizes("{105,104,101}", "'people'::pg_catalog.regclass") + " AS a, " +
            sizes("{105,104,101}", "$1::pg_catalog.regclass", "pg_table_size") + " AS b, " +
            sizes("{105,104,101}", "'x'::pg_catalog.text::pg_catalog.regclass", "pg_indexes_size") + " AS c");
  CHECK(sent("SELECT pg_relation_size('people')", "dpo").find("'{105,104,101,100}'") != std::string::npos);
  CHECK(is_refused("SELECT pg_relation_size()"));
  CHECK(is_refused("SELECT pg_relation_size(VARIADIC ARRAY[1])"));
  CHECK(is_refused("SELECT * FROM pg_class WHERE pg_relation_size(oid) OVER () > 1"));
}

TEST_CASE("the verifier lets a size through with its guard only") {
  CHECK(is_verified(sizes("{101}")));
  CHECK(is_verified(sizes("{105,104,101}")));
  CHECK(is_verified(sizes("{}")));
  CHECK(is_verified(sizes("{101,100}"), "dpo"));
  for (const std::string& other :
       {sizes("{100}"), sizes("{101,100}"), sizes("{1259}"), sizes("{102}"), sizes("{101, 104}"),
        sizes("{999}"), sizes("{101,}"), sizes(""), sizes("{{101}}"), sizes("{NULL}"),
        sizes("{101}", "leaky(1)"), sizes("{101}", "(SELECT s.id FROM public.secrets AS s)"),
        std::string("pg_catalog.pg_relation_size($1::pg_catalog.regclass)"),
        std::string("pg_catalog.pg_relation_size('101'::pg_catalog.regclass)"),
        std::string("pg_catalog.pg_relation_size((SELECT '100'::pg_catalog.oid))")}) {
    CAPTURE(other);
    CHECK(!is_verified(other));
  }
}

TEST_CASE("definitions are printed of harmless objects, whatever the argument becomes while it is computed") {
  const std::string text = sent("SELECT pg_get_constraintdef((ARRAY[1, 2])[1 + (random() * 2)::int])");
  CHECK(text.find("CASE") == std::string::npos);
  CHECK(text.find("random()") == text.rfind("random()"));
  CHECK(is_verified(constraints(kHarmless)));
  CHECK(is_verified(constraints(kHarmless, "(SELECT pg_catalog.\"left\"($1, 2))")));
  for (const std::string& other :
       {constraints("true"), constraints("(" + kHarmless + ") OR (true)"),
        constraints(kHarmless + " LIMIT 1"),
        constraints("d.contype OPERATOR(pg_catalog.=) ANY (ARRAY['p', 'c']::pg_catalog.\"char\"[])"),
        constraints(kHarmless, "$1 OR true"), constraints(kHarmless, "leaky(1)"),
        constraints(kHarmless, "(SELECT s.id FROM public.secrets AS s)"),
        constraints(kHarmless, "$1", "pg_get_indexdef"), std::string("pg_catalog.pg_get_constraintdef($1)"),
        "pg_catalog.pg_get_constraintdef(1, " +
            guard("d.oid AS pgveil_o FROM pg_catalog.pg_constraint AS d WHERE " + kHarmless, "$1") + ")",
        guard("d.oid AS pgveil_o FROM pg_catalog.pg_constraint AS d WHERE " + kHarmless, "$1")}) {
    CAPTURE(other);
    CHECK(!is_verified(other));
  }
}

TEST_CASE("a bare name in the argument means what it means outside of the guard") {
  const std::string text = sent("SELECT pg_get_constraintdef(oid), pg_relation_size(oid) FROM pg_constraint");
  CHECK(text.find("WHERE pgveil_d.pgveil_o OPERATOR(pg_catalog.=) oid::pg_catalog.oid") != std::string::npos);
  CHECK(text.find("AS d WHERE d.contype") != std::string::npos);
}

TEST_CASE("definitions of indexes are printed when they quote no constant") {
  const std::string pattern =
      "'[{](?!(FUNCEXPR|OPEXPR|VAR|RELABELTYPE|COERCEVIAIO|BOOLEXPR|NULLTEST|BOOLEANTEST|COALESCE|COLLATE) "
      ")'";
  const auto indexes = [](const std::string& condition) {
    return guard("d.indexrelid AS pgveil_o FROM pg_catalog.pg_index AS d WHERE " + condition,
                 "$1::pg_catalog.oid");
  };
  const auto quotes = [&](const std::string& tree) {
    return "(d." + tree + "::pg_catalog.text OPERATOR(pg_catalog.~) " + pattern + ")";
  };
  const std::string harmless =
      "CASE WHEN " + quotes("indexprs") + " OR " + quotes("indpred") + " THEN false ELSE true END";
  CHECK(sent("SELECT pg_get_indexdef($1, 1, true)") ==
        "SELECT pg_catalog.pg_get_indexdef(" + indexes(harmless) + ", 1, true)");
  CHECK(is_verified("pg_catalog.pg_get_indexdef(" + indexes(harmless) + ")"));
  for (const std::string& other :
       {std::string("true"), "CASE WHEN " + quotes("indexprs") + " THEN false ELSE true END",
        "CASE WHEN " + quotes("indexprs") + " OR " + quotes("indpred") + " THEN true ELSE true END",
        std::string("d.indexprs IS NULL")}) {
    CAPTURE(other);
    CHECK(!is_verified("pg_catalog.pg_get_indexdef(" + indexes(other) + ")"));
  }
}

TEST_CASE("objects are described when they are members of extensions") {
  const std::string members =
      "d.objid AS pgveil_o FROM pg_catalog.pg_depend AS d WHERE d.deptype OPERATOR(pg_catalog.=) 'e'";
  CHECK(sent("SELECT pg_describe_object(x, y, 0) FROM (VALUES (1, 2)) v(x, y)") ==
        "SELECT pg_catalog.pg_describe_object(x, " + guard(members, "y::pg_catalog.oid") +
            ", 0) FROM (VALUES (1, 2)) AS v(x, y)");
  CHECK(!is_verified("pg_catalog.pg_describe_object(1, 2, 3)"));
  CHECK(is_refused("SELECT pg_describe_object(1)"));
}

TEST_CASE("whoever asks what they may do hears what they may do here") {
  const std::string readable = sent("SELECT has_table_privilege(current_user, $1, 'SELECT')");
  CHECK(readable.starts_with("SELECT $1::pg_catalog.regclass OPERATOR(pg_catalog.=) ANY ('{"));
  CHECK(readable.ends_with("}'::pg_catalog.oid[]) AS has_table_privilege"));
  CHECK(readable.find(",100,") != std::string::npos);  // people, masked
  CHECK(readable.find(",101,") != std::string::npos);  // cities
  CHECK(readable.find("1259") != std::string::npos);   // pg_class
  CHECK(readable.find(",102,") == std::string::npos);  // secrets
  CHECK(readable.find("11000") == std::string::npos);  // pg_stats
  for (const char* same :
       {"SELECT has_table_privilege($1, 'SELECT')", "SELECT has_table_privilege('analyst', $1, 'SELECT')",
        "SELECT has_table_privilege(session_user::text, $1, ' insert, Select')",
        "SELECT pg_catalog.has_table_privilege(user, $1, 'SELECT')"}) {
    CHECK(sent(same) == readable);
  }
  CHECK(sent("SELECT has_table_privilege(current_user, 'people', 'INSERT')") ==
        "SELECT false AS has_table_privilege");
  CHECK(sent("SELECT has_any_column_privilege(current_user, 'people', 'update') AS u") ==
        "SELECT false AS u");
  CHECK(sent("SELECT has_column_privilege(current_user, 'people', 'city', 'SELECT WITH GRANT OPTION')") ==
        "SELECT false AS has_column_privilege");
  CHECK(sent("SELECT has_schema_privilege(current_user, 'public', 'USAGE')") ==
        "SELECT pg_catalog.has_schema_privilege('public', 'USAGE')");
  CHECK(sent("SELECT has_database_privilege('analyst', 'demo', 'CONNECT')") ==
        "SELECT pg_catalog.has_database_privilege('demo', 'CONNECT')");
  CHECK(sent("SELECT pg_has_role(current_user, 'analyst', 'MEMBER')") == "SELECT true AS pg_has_role");
  CHECK(sent("SELECT pg_has_role(current_user, 'admins', 'USAGE')") ==
        "SELECT pg_catalog.pg_has_role('admins', 'USAGE')");
  CHECK(sent("SELECT has_table_privilege('bob', 'people', 'SELECT')") ==
        "SELECT pg_catalog.has_table_privilege('bob', 'people', 'SELECT')");
  CHECK(
      sent("SELECT current_user::regrole AS a, session_user::regrole::oid AS b") ==
      "SELECT pg_catalog.to_regrole('analyst') AS a, pg_catalog.to_regrole('analyst')::pg_catalog.oid AS b");
}
