// The passes that a text goes through, as an observer sees them.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "rewriter/pipeline/passes.hpp"
#include "rewriter/pipeline/pipeline.hpp"

using namespace pgveil::rewriter;

namespace {

struct Notes {
  std::vector<Pass> seen;
  int ends_seen = 0;
};

class Observer final : public PassObserver {
 public:
  explicit Observer(Notes& notes) : notes_(notes) {}
  void begins(Pass pass) override { notes_.seen.push_back(pass); }
  void ends() override { ++notes_.ends_seen; }

 private:
  Notes& notes_;
};

Verdict rewrite_observed(const std::string& sql, Notes& notes) {
  static const auto snapshot = test::demo_snapshot();
  Observer observer(notes);
  return rewrite(sql, {"analyst"}, *snapshot, {}, &observer);
}

Notes passes_of(const std::string& sql) {
  Notes notes;
  static_cast<void>(rewrite_observed(sql, notes));
  return notes;
}

constexpr const char* kRead = "SELECT occupation FROM people";

}  // namespace

TEST_CASE("a text goes through all passes in the order of their list") {
  const Notes notes = passes_of(kRead);
  CHECK(notes.seen == std::vector<Pass>(kPasses.begin(), kPasses.end()));
  CHECK(notes.ends_seen == 1);
}

TEST_CASE("a text is parsed once, and each of its statements goes through the other passes by itself") {
  const Notes notes = passes_of(std::string(kRead) + ";" + kRead);
  std::vector<Pass> expected(kPasses.begin(), kPasses.end());
  expected.insert(expected.end(), kPasses.begin() + 1, kPasses.end());
  CHECK(notes.seen == expected);
  CHECK(notes.ends_seen == 1);
}

TEST_CASE("a refused text ends at the pass that refuses it") {
  const Notes unparsed = passes_of("SELEC occupation");
  CHECK(unparsed.seen == std::vector{Pass::parse});
  CHECK(unparsed.ends_seen == 1);
  const Notes unlisted = passes_of("SELECT * FROM secrets");
  CHECK(unlisted.seen == std::vector{Pass::parse, Pass::resolve});
  CHECK(unlisted.ends_seen == 1);
}

TEST_CASE("whoever looks on changes nothing") {
  Notes notes;
  const auto watched = rewrite_observed(kRead, notes);
  const auto unwatched = rewrite(kRead, {"analyst"}, *test::demo_snapshot());
  REQUIRE(std::holds_alternative<Rewritten>(watched));
  CHECK(std::get<Rewritten>(watched).statements.at(0).sql ==
        std::get<Rewritten>(unwatched).statements.at(0).sql);
}

TEST_CASE(
    "the list has every pass after resolving once, with a reason, and ends with the check of the bytes") {
  std::set<Pass> listed;
  for (const StatementPass& pass : statement_passes()) {
    CHECK(listed.insert(pass.pass).second);
    CHECK(!pass.reason.empty());
    CHECK(!name(pass.pass).empty());
  }
  CHECK(listed.size() + 2 == kPasses.size());
  CHECK(statement_passes().back().pass == Pass::verify_sent);
}
