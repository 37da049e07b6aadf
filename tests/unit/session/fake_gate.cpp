#include "tests/unit/session/fake_gate.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace pgveil::session::testing {

namespace {

using rewriter::Statement;
using rewriter::StatementKind;

constexpr std::pair<std::string_view, StatementKind> kKinds[] = {
    {"PREPARE", StatementKind::prepare},       {"EXECUTE", StatementKind::execute},
    {"DEALLOCATE", StatementKind::deallocate}, {"DECLARE", StatementKind::declare_cursor},
    {"FETCH", StatementKind::fetch},           {"CLOSE", StatementKind::close_cursor},
    {"BEGIN", StatementKind::begin},           {"COMMIT", StatementKind::commit},
    {"ROLLBACK", StatementKind::rollback},     {"DISCARD", StatementKind::discard},
    {"COPY", StatementKind::copy_out},         {"SET", StatementKind::set},
};

Statement understand(const std::string& sql) {
  std::istringstream words(sql);
  std::string verb;
  std::string name;
  words >> verb >> name;
  Statement statement;
  statement.sql = "ok: " + sql;
  const auto kind =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](auto& row) { return row.first == verb; });
  if (kind != std::end(kKinds)) {
    statement.kind = kind->second;
    statement.name = name == "ALL" ? (statement.kind == StatementKind::discard ? "all" : "") : name;
  }
  statement.is_protected = sql.find("people") != std::string::npos;
  statement.is_masked = statement.is_protected;
  return statement;
}

}  // namespace

rewriter::Verdict FakeGate::judge(std::string_view sql, std::string_view, std::string_view) {
  if (sql.starts_with("refuse")) {
    return Refusal{.reason = Reason::clause, .message = "not open", .hint = "ask less", .position = 3};
  }
  if (sql.starts_with("syntax")) {
    return Error{
        .kind = ErrorKind::syntax, .sqlstate = "42601", .public_message = "syntax error", .position = 1};
  }
  if (sql.starts_with("unknown")) {
    return Error{.kind = ErrorKind::unknown_object, .sqlstate = "42703", .public_message = "no such column"};
  }
  rewriter::Rewritten rewritten{.statements = {}, .versions = {}, .generation = generation};
  std::istringstream parts{std::string(sql)};
  std::string joined;
  for (std::string part; std::getline(parts, part, ';');) {
    if (part.empty()) continue;
    rewritten.statements.push_back(understand(part));
    const Statement& statement = rewritten.statements.back();
    if (statement.is_protected) rewritten.versions = {{.policy = "p", .number = version}};
    made.insert(statement.sql);
    joined += (joined.empty() ? "" : ";") + statement.sql;
  }
  made.insert(joined);
  return rewritten;
}

bool FakeGate::is_current(std::span<const rewriter::VersionId> versions, std::string_view) const {
  return std::all_of(versions.begin(), versions.end(), [&](const auto& id) { return id.number == version; });
}

std::optional<ScramVerifier> FakeGate::verifier(std::string_view role) const {
  return role == "ann" ? ann_verifier : std::nullopt;
}

Result<void> FakeGate::may_connect(std::string_view role, std::string_view database) const {
  if (role != "stranger") return {};
  return Error{.kind = ErrorKind::authentication,
               .sqlstate = "42501",
               .public_message = "role may not use database " + std::string(database)};
}

}  // namespace pgveil::session::testing
