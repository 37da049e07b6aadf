// Golden files tests/golden/rewrites/*.txt: blocks of "role> …" lines and what becomes of them.
// UPDATE_GOLDEN=1 writes the answers anew; the diff is reviewed.
#include <doctest/doctest.h>

#include <sstream>

#include "fixture.hpp"
#include "mask_texts.hpp"
#include "pg/parse.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"
#include "tests/unit/golden_files.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

// "mask of schema.table without city, state": mask_test.cpp reads the masks themselves.
std::string short_mask(const rewriter::test::FoundMask& found) {
  std::string out = (found.is_looked_up ? "look-up in mask of " : "mask of ") + found.table;
  for (const auto i : found.left_out) {
    out += i == found.left_out.front() ? " without " : ", ";
    out += found.mask.parts.columns[i].name;
  }
  return out;
}

// With a stand-in in the place of each mask, the statement passes the verifier again.
void check_again(const Statement& statement, const std::string& role, const Snapshot& snapshot) {
  const std::string sql = rewriter::test::with_stand_ins(statement.sql, role, snapshot);
  const auto tree = pg::parse_own(sql, std::size_t{1} << 20);
  REQUIRE_MESSAGE(tree.has_value(), sql);
  const auto reads = verify(sql, tree->result->stmts[0]->stmt->base, role, snapshot, std::size_t{1} << 20);
  REQUIRE_MESSAGE(reads.has_value(), sql);
  CHECK(reads->has_masked == statement.is_masked);
}

std::string describe(const Verdict& verdict, const std::string& role, const Snapshot& snapshot) {
  if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
    return "refused " + std::string(reason_name(refusal->reason)) + " at " +
           std::to_string(refusal->position) + ": " + refusal->message +
           (refusal->detail.empty() ? "" : " [" + refusal->detail + "]") + "\n";
  }
  if (const auto* error = std::get_if<Error>(&verdict)) {
    return "error " + error->sqlstate + " at " + std::to_string(error->position) + ": " +
           error->public_message + "\n";
  }
  std::string out;
  for (const Statement& statement : std::get<Rewritten>(verdict).statements) {
    check_again(statement, role, snapshot);
    out += statement.is_masked ? "masked: " : statement.is_protected ? "exempt: " : "open: ";
    out += rewriter::test::with_masks_replaced(statement.sql, role, snapshot, short_mask) + "\n";
  }
  return out.empty() ? "nothing\n" : out;
}

// "analyst> SELECT 1" asks; lines up to the next ask or blank line are the expected answer; # comments stay.
std::string answer_all(const std::string& text, const Snapshot& snapshot) {
  std::istringstream lines(text);
  std::string out;
  bool in_answer = false;
  for (std::string line; std::getline(lines, line);) {
    const auto mark = line.find("> ");
    const bool asks = mark != std::string::npos && mark < 12 && line.find(' ') == mark + 1;
    if (asks) {
      out += line + "\n" +
             describe(rewrite(line.substr(mark + 2), {line.substr(0, mark)}, snapshot), line.substr(0, mark),
                      snapshot);
      in_answer = true;
    } else if (line.empty() || line[0] == '#') {
      out += line + "\n";
      in_answer = false;
    } else if (!in_answer) {
      out += line + "\n";
    }
  }
  return out;
}

}  // namespace

TEST_CASE("statements are rewritten or refused as the golden files say") {
  const auto snapshot = rewriter::test::demo_snapshot();
  pgveil::test::check_golden_files("rewrites", 4,
                                   [&](const std::string& text) { return answer_all(text, *snapshot); });
}
