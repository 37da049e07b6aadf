#include "rewriter/pipeline/examine.hpp"

#include <doctest/doctest.h>

#include <string>

#include "corpus.hpp"
#include "fixture.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::rewriter;

struct Said {
  std::string message;
  int position = 0;
};

Said said(const Objection& objection) {
  if (const auto* refusal = std::get_if<Refusal>(&objection)) return {refusal->message, refusal->position};
  const auto& error = std::get<Error>(objection);
  return {error.public_message, error.position};
}

}  // namespace

TEST_CASE("what examine says of a text is what rewrite decides") {
  const auto snapshot = rewriter::test::demo_snapshot();
  for (const std::string& sql : rewriter::test::statement_corpus()) {
    for (const char* role : {"analyst", "dpo", "nobody"}) {
      CAPTURE(sql);
      const Verdict verdict = rewrite(sql, {role}, *snapshot);
      const auto examined = examine(sql, {role}, *snapshot);
      if (!examined) {
        REQUIRE(std::holds_alternative<Error>(verdict));
        CHECK(std::get<Error>(verdict).public_message == examined.error().public_message);
        continue;
      }
      if (const auto* rewritten = std::get_if<Rewritten>(&verdict)) {
        REQUIRE(rewritten->statements.size() == examined->size());
        for (std::size_t i = 0; i < examined->size(); ++i) {
          CHECK((*examined)[i].objections.empty());
          CHECK((*examined)[i].statement.sql == rewritten->statements[i].sql);
        }
        continue;
      }
      const Said first = std::holds_alternative<Refusal>(verdict) ? said(std::get<Refusal>(verdict))
                                                                  : said(std::get<Error>(verdict));
      bool is_found = false;
      for (const Examined& statement : *examined) {
        for (const Objection& objection : statement.objections) {
          is_found |= said(objection).message == first.message && said(objection).position == first.position;
        }
      }
      CHECK(is_found);
    }
  }
}

TEST_CASE("a text has no end of objections, and examine has") {
  const auto snapshot = rewriter::test::demo_snapshot();
  std::string sql = "SELECT 1";
  for (int i = 0; i < 500; ++i) sql += ", pg_sleep(1)";
  const auto examined = examine(sql, {"analyst"}, *snapshot);
  REQUIRE(examined.has_value());
  CHECK(examined->front().objections.size() == 51);
}
