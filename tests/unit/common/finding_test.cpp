#include "common/finding.hpp"

#include <doctest/doctest.h>

namespace pgveil {
namespace {

const Finding kFinding{FindingKind::added_builtin, Severity::error, "operator ===(text,text)",
                       "operator ===(text,text) is in pg_catalog", "move it"};

TEST_CASE("a finding is one line that begins with its weight and its code") {
  CHECK(one_line(kFinding) == "error: added-builtin: operator ===(text,text) is in pg_catalog; move it");
}

TEST_CASE("an acknowledged finding becomes a note with the reason") {
  const auto settled = settle({kFinding}, {{"operator ===(text,text)", "it compares and nothing else"}});
  REQUIRE(settled.size() == 1);
  CHECK(settled[0].severity == Severity::note);
  CHECK(settled[0].mend == "acknowledged: it compares and nothing else");
  CHECK_FALSE(has_errors(settled));
}

TEST_CASE("an acknowledgement that settles nothing is a warning, and settles nothing") {
  const auto settled = settle({kFinding}, {{"operator ==(text,text)", "misspelt"}});
  REQUIRE(settled.size() == 2);
  CHECK(has_errors(settled));
  CHECK(settled[1].kind == FindingKind::unused_decision);
  CHECK(settled[1].severity == Severity::warning);
}

TEST_CASE("what has no object can't be acknowledged") {
  auto finding = kFinding;
  finding.object.clear();
  CHECK(has_errors(settle({finding}, {{"", "everything"}})));
}

}  // namespace
}  // namespace pgveil
