#include <doctest/doctest.h>

#include "cli/explain.hpp"

namespace pgveil::cli {
namespace {

TEST_CASE("a caret stands under the character, on its own line, counted in characters") {
  CHECK(caret_lines("SELECT x", 8) == "  SELECT x\n         ^\n");
  CHECK(caret_lines("SELECT 1,\n  nope\nFROM t", 13) == "    nope\n    ^\n");
  CHECK(caret_lines("SELECT '\xc3\xa9', x", 13) == "  SELECT '\xc3\xa9', x\n              ^\n");
  CHECK(caret_lines("SELECT", 7) == "  SELECT\n        ^\n");
  CHECK(caret_lines("SELECT", 0).empty());
}

TEST_CASE("a refusal is explained with its reason's name, message, hint and place") {
  const rewriter::Verdict verdict =
      Refusal{Reason::relation_not_listed, "table \"t\" is not open", "ask for it", 15};
  const auto explained = explain_text(verdict, "SELECT * FROM t");
  CHECK_FALSE(explained.is_answered);
  CHECK(explained.text ==
        "refused (relation_not_listed): table \"t\" is not open (ask for it)\n"
        "  SELECT * FROM t\n"
        "                ^\n");
  const auto table = explain_table(verdict);
  CHECK(table.rows == std::vector<std::vector<std::optional<std::string>>>{
                          {"refused: relation_not_listed", "table \"t\" is not open", "ask for it", "15"}});
}

TEST_CASE("an error is explained with its SQLSTATE") {
  const rewriter::Verdict verdict =
      Error{ErrorKind::syntax, "42601", "syntax error at or near \"x\"", "", "", 0};
  CHECK(explain_text(verdict, "x").text == "error (42601): syntax error at or near \"x\"\n");
  CHECK(explain_table(verdict).rows.front().front() == "error: 42601");
  CHECK(explain_table(verdict).rows.front().at(3) == std::nullopt);
}

TEST_CASE("what would be sent is one line per statement") {
  rewriter::Rewritten rewritten;
  rewritten.statements.resize(2);
  rewritten.statements[0].sql = "SELECT 1";
  rewritten.statements[1].sql = "SELECT 2";
  rewritten.statements[1].is_masked = true;
  const auto explained = explain_text(rewritten, "");
  CHECK(explained.is_answered);
  CHECK(explained.text == "SELECT 1;\nSELECT 2;\n");
  const auto table = explain_table(rewritten);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0][0] == "as is");
  CHECK(table.rows[1][0] == "masked");
}

}  // namespace
}  // namespace pgveil::cli
