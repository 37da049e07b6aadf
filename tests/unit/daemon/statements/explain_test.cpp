#include <doctest/doctest.h>

#include "common/sql_position.hpp"
#include "daemon/statements/explain.hpp"

namespace pgveil::app {
namespace {

TEST_CASE("a caret stands under the character, on its own line, counted in characters") {
  CHECK(caret_lines("SELECT x", 8) == "  SELECT x\n         ^\n");
  CHECK(caret_lines("SELECT 1,\n  nope\nFROM t", 13) == "    nope\n    ^\n");
  CHECK(caret_lines("SELECT '\xc3\xa9', x", 13) == "  SELECT '\xc3\xa9', x\n              ^\n");
  CHECK(caret_lines("SELECT", 7) == "  SELECT\n        ^\n");
  CHECK(caret_lines("SELECT", 0).empty());
}

TEST_CASE("tabs stay tabs, and of a long line there is only what is around the place") {
  CHECK(caret_lines("\tSELECT x", 9) == "  \tSELECT x\n  \t       ^\n");
  const std::string sql = std::string(300, 'a') + "b" + std::string(300, 'c');
  const std::string shown = "..." + std::string(60, 'a') + "b" + std::string(49, 'c') + "...";
  CHECK(caret_lines(sql, 301) == "  " + shown + "\n  " + std::string(63, ' ') + "^\n");
}

TEST_CASE("line and column are counted in characters, from one") {
  CHECK(line_and_column("SELECT x", 8) == "line 1, column 8");
  CHECK(line_and_column("SELECT '\xc3\xa9',\n  x", 15) == "line 2, column 3");
  CHECK(line_and_column("SELECT x", 0).empty());
}

std::vector<rewriter::Examined> refused_statement(rewriter::Objection objection) {
  std::vector<rewriter::Examined> out(1);
  out.front().objections.push_back(std::move(objection));
  return out;
}

TEST_CASE("a refusal is explained with its reason's name, message, detail, hint and place") {
  const Explanation explanation = refused_statement(
      Refusal{Reason::relation_not_listed, "table \"t\" is not open", "ask for it", 15, "It is so."});
  const auto explained = explain_text(explanation, "SELECT * FROM t", Masks::named);
  CHECK_FALSE(explained.is_answered);
  CHECK(explained.text ==
        "refused: relation_not_listed, line 1, column 15: table \"t\" is not open (ask for it)\n"
        "  It is so.\n"
        "  SELECT * FROM t\n"
        "                ^\n");
  const auto table = explain_table(explanation, "SELECT * FROM t", Masks::named);
  CHECK(table.rows == std::vector<std::vector<std::optional<std::string>>>{
                          {"refused: relation_not_listed", "table \"t\" is not open", "It is so.",
                           "ask for it", "15", "line 1, column 15\n  SELECT * FROM t\n                ^"}});
}

TEST_CASE("a text that can't be read is explained with its SQLSTATE") {
  const Explanation explanation =
      Error{ErrorKind::syntax, "42601", "syntax error at or near \"x\"", "", "", 0};
  CHECK(explain_text(explanation, "x", Masks::named).text == "error: 42601: syntax error at or near \"x\"\n");
  const auto table = explain_table(explanation, "x", Masks::named);
  CHECK(table.rows.front().front() == "error: 42601");
  CHECK(table.rows.front().at(4) == std::nullopt);
}

TEST_CASE("statements come with their verdicts, then each mask once") {
  std::vector<rewriter::Examined> statements(3);
  statements[0].statement.sql = statements[0].short_sql = "SELECT 1";
  for (const std::size_t i : {1, 2}) {
    statements[i].statement.sql = "SELECT 2 FROM (SELECT 3)";
    statements[i].statement.is_masked = statements[i].statement.is_protected = true;
    statements[i].short_sql = "SELECT 2 FROM \"mask of t\"";
    statements[i].masks = {{"mask of t", "t", "p", 7, "SELECT 3"}};
  }
  const Explanation explanation = statements;
  const auto explained = explain_text(explanation, "", Masks::named);
  CHECK(explained.is_answered);
  CHECK(explained.text ==
        "SELECT 1;\nSELECT 2\nFROM \"mask of t\";\nSELECT 2\nFROM \"mask of t\";\n\n"
        "\"mask of t\" (policy p, version 7) is:\nSELECT 3\n");
  CHECK(explain_text(explanation, "", Masks::in_place).text ==
        "SELECT 1;\nSELECT 2\nFROM (SELECT 3);\nSELECT 2\nFROM (SELECT 3);\n");
  const auto table = explain_table(explanation, "", Masks::named);
  REQUIRE(table.rows.size() == 4);
  CHECK(table.rows[0][0] == "as is");
  CHECK(table.rows[1][0] == "masked");
  CHECK(table.rows[3][0] == "mask of t");
  CHECK(table.rows[3][2] == "policy p, version 7");
  CHECK(explain_table(explanation, "", Masks::in_place).rows.size() == 3);
}

}  // namespace
}  // namespace pgveil::app
