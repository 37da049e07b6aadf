#include "common/sql_quoting.hpp"

#include <doctest/doctest.h>

using namespace pgveil;

TEST_CASE("a name is always quoted, and its quotes are doubled") {
  CHECK(quoted_name("people") == R"("people")");
  CHECK(quoted_name("People of 1") == R"("People of 1")");
  CHECK(quoted_name(R"(a"b)") == R"("a""b")");
  CHECK(quoted_name(R"(")") == R"("""")");
  CHECK(quoted_name(R"(x"; DROP TABLE y; --)") == R"("x""; DROP TABLE y; --")");
  CHECK(quoted_name(R"(a\b'c)") == R"("a\b'c")");
  CHECK(quoted_name("") == R"("")");
}

TEST_CASE("a qualified name has both parts quoted, so a dot within one is no divider") {
  CHECK(qualified_name("hr", "people") == R"("hr"."people")");
  CHECK(qualified_name("a.b", R"(c"d)") == R"("a.b"."c""d")");
}

TEST_CASE("a text is a literal that means itself under any standard_conforming_strings") {
  CHECK(quoted_literal("people") == "'people'");
  CHECK(quoted_literal("O'Neill") == "'O''Neill'");
  CHECK(quoted_literal("") == "''");
  CHECK(quoted_literal("'; DROP TABLE y; --") == "'''; DROP TABLE y; --'");
  CHECK(quoted_literal(R"(a\b)") == R"(E'a\\b')");
  CHECK(quoted_literal(R"(\')") == R"(E'\\''')");
  CHECK(quoted_literal("line\nline") == "'line\nline'");
}
