// docs/sql-support.md is true: each example gets the verdict that its row names, and no kind of statement is
// missing.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "corpus.hpp"
#include "fixture.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "rewriter/pipeline/pipeline.hpp"

using namespace pgveil;
using namespace pgveil::rewriter;

namespace {

std::string describe(const Verdict& verdict) {
  if (const auto* refusal = std::get_if<Refusal>(&verdict))
    return "refused: " + std::string(reason_name(refusal->reason));
  if (const auto* error = std::get_if<Error>(&verdict)) return "error: " + error->sqlstate;
  for (const Statement& statement : std::get<Rewritten>(verdict).statements) {
    if (statement.is_masked) return "masked";
  }
  return "allowed";
}

void add_kinds(const ProtobufCMessage& message, std::set<std::string>& kinds) {
  kinds.insert(message.descriptor->short_name);
  pg::for_each_child(message, [&](const auto&, const ProtobufCMessage& child) { add_kinds(child, kinds); });
}

// Statements that the parser never makes at the place of one: parse analysis does, or PL/pgSQL.
const std::set<std::string> kNotParsed = {"SetOperationStmt", "PLAssignStmt"};

}  // namespace

TEST_CASE("each row of docs/sql-support.md tells the truth") {
  const auto rows = rewriter::test::sql_support_rows();
  CHECK(rows.size() > 150);
  const auto snapshot = rewriter::test::demo_snapshot();
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CAPTURE(row.example);
    if (row.example.empty()) {
      CHECK(row.verdict.starts_with("error: "));  // a limit: what crosses it does not fit a table
      continue;
    }
    const auto verdict = rewrite(row.example, {"analyst"}, *snapshot);
    CHECK(describe(verdict) == row.verdict);
    if (row.example == ";;") CHECK(std::get<Rewritten>(verdict).statements.empty());
  }
}

TEST_CASE("every statement of the grammar has a row in docs/sql-support.md") {
  std::set<std::string> shown;
  for (const auto& row : rewriter::test::sql_support_rows()) {
    const auto tree = pg::parse(row.example, {});
    if (tree) add_kinds(tree->result->base, shown);
  }
  const ProtobufCMessageDescriptor& node = pg_query__node__descriptor;
  std::size_t count = 0;
  for (unsigned i = 0; i < node.n_fields; ++i) {
    const std::string kind =
        static_cast<const ProtobufCMessageDescriptor*>(node.fields[i].descriptor)->short_name;
    if (!kind.ends_with("Stmt") || kNotParsed.contains(kind)) continue;
    CAPTURE(kind);
    CHECK(shown.contains(kind));
    ++count;
  }
  CHECK(count > 100);
}
