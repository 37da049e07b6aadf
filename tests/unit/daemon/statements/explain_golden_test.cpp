// Golden files tests/golden/explained/*.txt: blocks of "-- role" or "-- role full", SQL, a line of dashes,
// and what `pgveil rewrite` prints. UPDATE_GOLDEN=1 writes the answers anew; the diff is reviewed.
#include <doctest/doctest.h>

#include <sstream>

#include "daemon/statements/explain.hpp"
#include "tests/unit/golden_files.hpp"
#include "tests/unit/rewriter/fixture.hpp"

namespace pgveil::app {
namespace {

constexpr std::string_view kDashes = "----";

std::string answer(const std::string& head, const std::string& sql, const rewriter::Snapshot& snapshot) {
  std::istringstream words(head.substr(3));
  std::string role;
  std::string full;
  words >> role >> full;
  return explain_text(rewriter::examine(sql, {role}, snapshot), sql,
                      full == "full" ? Masks::in_place : Masks::named)
      .text;
}

std::string answer_all(const std::string& text, const rewriter::Snapshot& snapshot) {
  std::istringstream lines(text);
  std::string out;
  std::string head;
  std::string sql;
  bool is_asking = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("-- ")) {
      head = line;
      sql.clear();
      is_asking = true;
      out += out.empty() ? "" : "\n";
    }
    if (!is_asking) continue;
    out += line + "\n";
    if (line == kDashes) {
      out += answer(head, sql, snapshot);
      is_asking = false;
    } else if (line != head) {
      sql += line + "\n";
    }
  }
  return out;
}

TEST_CASE("what becomes of a text is shown as the golden files say") {
  const auto snapshot = rewriter::test::demo_snapshot();
  pgveil::test::check_golden_files("explained", 2,
                                   [&](const std::string& text) { return answer_all(text, *snapshot); });
}

}  // namespace
}  // namespace pgveil::app
