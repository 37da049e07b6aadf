#include <doctest/doctest.h>

#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/csv.hpp"
#include "common/separated_text.hpp"

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
                                {"'=x", CellKind::text, "\"''=x\""},
                                {"''-x", CellKind::text, "\"'''-x\""},
                                {"'x", CellKind::text, "'x"},
                                {"''", CellKind::text, "''"},
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

TEST_CASE("cells that are read back without their marks are the texts that were written") {
  constexpr std::string_view kCharacters = "'=+-@\t\r\n\"a1 ,";
  std::mt19937_64 random(1);
  std::set<std::string> texts, cells;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto size = random() % 6; size > 0; --size) text += kCharacters[random() % kCharacters.size()];
    std::string line;
    append_cell(line, text, CellKind::text);
    line += ",end\r\n";
    RecordReader reader(line, ',');
    std::vector<std::string_view> fields;
    const auto more = reader.next(fields);
    REQUIRE(more.has_value());
    REQUIRE(fields.size() == 2);
    CHECK(without_formula_mark(fields.front()) == text);
    texts.insert(text);
    cells.emplace(fields.front());
  }
  CHECK(cells.size() == texts.size());  // no two texts are written alike
}

TEST_CASE("cells without a mark are read as they are") {
  for (const std::string_view cell : {"", "'", "''", "'x", "-1", "=x", "x'=", "' =x"})
    CHECK(without_formula_mark(cell) == cell);
  CHECK(without_formula_mark("'=x") == "=x");
  CHECK(without_formula_mark("''=x") == "'=x");
}

}  // namespace
}  // namespace pgveil::app
