#include "db/server/copy_line.hpp"

#include <doctest/doctest.h>

namespace pgveil::db {
namespace {

std::vector<std::optional<std::string>> fields_of(std::string line) {
  std::vector<CopyField> fields{"of the line before"};
  split_copy_line(line, fields);
  return {fields.begin(), fields.end()};
}

using Fields = std::vector<std::optional<std::string>>;

TEST_CASE("fields are divided by tabs, and empty ones are empty texts") {
  CHECK(fields_of("a\tbc\td") == Fields{"a", "bc", "d"});
  CHECK(fields_of("") == Fields{""});
  CHECK(fields_of("\t") == Fields{"", ""});
  CHECK(fields_of("a\t\tb\t") == Fields{"a", "", "b", ""});
}

TEST_CASE("NULL is no text, and no text is NULL") {
  CHECK(fields_of("\\N") == Fields{std::nullopt});
  CHECK(fields_of("a\t\\N\t\\N") == Fields{"a", std::nullopt, std::nullopt});
  CHECK(fields_of("N\tNULL\t\\\\N\tx\\\\N") == Fields{"N", "NULL", "\\N", "x\\N"});
}

TEST_CASE("what COPY escapes is what it was") {
  CHECK(fields_of("\\t\t\\n\\r\\b\\f\\v\t\\\\\\\\n") == Fields{"\t", "\n\r\b\f\v", "\\\\n"});
  CHECK(fields_of("a\\tb\\\\t\tü") == Fields{"a\tb\\t", "ü"});
}

TEST_CASE("a lone backslash at the end stays") {
  CHECK(fields_of("a\\") == Fields{"a\\"});
}

}  // namespace
}  // namespace pgveil::db
