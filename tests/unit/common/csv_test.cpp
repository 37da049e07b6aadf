#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "common/csv.hpp"

namespace pgveil::app {
namespace {

TEST_CASE("cells are written so that NULL, the empty text and formulas can't be confused") {
  struct Case {
    std::optional<std::string> value;
    CellKind kind;
    std::string expected;
  };
  const std::vector<Case> cases{{std::nullopt, CellKind::text, ""},
                                {std::nullopt, CellKind::number, ""},
                                {"", CellKind::text, "\"\""},
                                {"plain", CellKind::text, "plain"},
                                {"a,b", CellKind::text, "\"a,b\""},
                                {"say \"hi\"", CellKind::text, "\"say \"\"hi\"\"\""},
                                {"two\nlines", CellKind::text, "\"two\nlines\""},
                                {"two\r\nlines", CellKind::text, "\"two\r\nlines\""},
                                {" blank", CellKind::text, "\" blank\""},
                                {"blank ", CellKind::text, "\"blank \""},
                                {"=1+1", CellKind::text, "\"'=1+1\""},
                                {"+1", CellKind::text, "\"'+1\""},
                                {"-1", CellKind::text, "\"'-1\""},
                                {"@SUM(A1)", CellKind::text, "\"'@SUM(A1)\""},
                                {"\t=1", CellKind::text, "\"'\t=1\""},
                                {"\r=1", CellKind::text, "\"'\r=1\""},
                                {"=\"a\"", CellKind::text, "\"'=\"\"a\"\"\""},
                                {"-1.5", CellKind::number, "-1.5"},
                                {"+1", CellKind::number, "+1"},
                                {"a=b", CellKind::text, "a=b"}};
  for (const auto& [value, kind, expected] : cases) {
    CAPTURE(expected);
    std::string line;
    append_cell(line, value, kind);
    CHECK(line == expected);
  }
}

}  // namespace
}  // namespace pgveil::app
