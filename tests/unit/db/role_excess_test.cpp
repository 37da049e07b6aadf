// The words for rights too many (db/rights/role_excess.hpp) are pure; they are tested here with what reads
// them.
#include <doctest/doctest.h>

#include "db/rights/role_excess.hpp"

namespace pgveil::db {
namespace {

TEST_CASE("the list of words is closed") {
  for (const auto* word :
       {"superuser", "replication", "bypassrls", "createrole", "createdb", "temp", "create", "own",
        "large_objects", "member:other role", "create:public", "server:loop", "set:log_statement",
        "select:public.people", "write:public.people", "select:hr.*", "select:a.b.c"}) {
    CAPTURE(word);
    CHECK(is_excess_word(word));
  }
  for (const auto* word :
       {"", "everything", "Superuser", "superuser ", "select:", "select:people", "select:.people",
        "select:public.", "write:", "member:", "create:", "read:public.people", "*", "select:*"}) {
    CAPTURE(word);
    CHECK_FALSE(is_excess_word(word));
  }
}

TEST_CASE("a word accepts its own right, and * the relations of one schema") {
  CHECK(accepts("temp", "temp"));
  CHECK(accepts("select:hr.people", "select:hr.people"));
  CHECK(accepts("select:hr.*", "select:hr.people"));
  CHECK_FALSE(accepts("select:hr.*", "select:hrx.people"));
  CHECK_FALSE(accepts("select:hr.*", "write:hr.people"));
  CHECK_FALSE(accepts("select:hr.people", "select:hr.people2"));
  CHECK_FALSE(accepts("create:public.*", "create:public.x"));
  CHECK_FALSE(accepts("temp", "create"));
}

TEST_CASE("a refusal says what, how to mend it, and the word") {
  const RoleExcess excess{"temp", "may create temporary tables", "run REVOKE TEMPORARY ON DATABASE d FROM q"};
  CHECK(explain_excess("\"q\"", excess) ==
        "query_role \"q\" may create temporary tables: run REVOKE TEMPORARY ON DATABASE d FROM q, or add "
        "\"temp\" to backend.accept_excess");
}

}  // namespace
}  // namespace pgveil::db
