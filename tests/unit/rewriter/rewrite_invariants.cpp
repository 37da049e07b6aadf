#include "rewrite_invariants.hpp"

#include <algorithm>

#include "mask_texts.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "raw_reference.hpp"
#include "rewriter/lists/session_settings.hpp"
#include "rewriter/mask/table_guard.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/told/own_relation.hpp"
#include "rewriter/verify/verify.hpp"
#include "rewriter/verify/verify_stand_in.hpp"

namespace pgveil::rewriter::test {
namespace {

int characters(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string broken_refusal(Reason reason, int position, std::string_view sql) {
  if (reason == Reason::unverified) return "a gap: the verifier refused what the resolver made";
  return position < 0 || position > characters(sql) + 1 ? "a refusal outside the text" : "";
}

bool reads_catalogs(const pg::Tree& tree) {
  bool found = false;
  walk(tree.result->base, [&](const ProtobufCMessage& message) {
    if (message.descriptor != &pg_query__range_var__descriptor) return true;
    const std::string_view schema = reinterpret_cast<const PgQuery__RangeVar&>(message).schemaname;
    found |= schema == "pg_catalog" || schema == "information_schema" || schema == kStandInSchema;
    return true;
  });
  return found;
}

// The verifier reads the lists of what readers are told as stand-ins.
std::string with_own_stand_ins(std::string sql, const std::string& role, const Snapshot& snapshot) {
  for (const OwnRelation which :
       {OwnRelation::columns, OwnRelation::policies, OwnRelation::comments, OwnRelation::nullable}) {
    const std::string text = own_relation_text(which, role, snapshot);
    const std::string stand_in = stand_in_text(own_stand_in_name(which));
    for (auto at = sql.find(text); at != std::string::npos; at = sql.find(text, at + stand_in.size()))
      sql.replace(at, text.size(), stand_in);
  }
  return sql;
}

// What is sent once is sent the same way when it comes back.
std::string not_idempotent(const Statement& statement, const std::string& role, const Snapshot& snapshot) {
  const Verdict verdict = rewrite(statement.sql, {role}, snapshot, {.statement_bytes = std::size_t{1} << 20});
  if (const auto* again = std::get_if<Rewritten>(&verdict)) {
    if (again->statements.size() != 1 || again->statements[0].sql != statement.sql)
      return "an answer that is rewritten to another: " + statement.sql;
    return "";
  }
  const auto* error = std::get_if<Error>(&verdict);
  const bool is_limit =
      error != nullptr && error->kind == ErrorKind::limit;  // brackets of our own count, too
  return is_limit ? "" : "an answer that is not answered again: " + statement.sql;
}

std::string broken_statement(const Statement& statement, const std::string& role, const Snapshot& snapshot) {
  const std::string read = with_own_stand_ins(with_stand_ins(statement.sql, role, snapshot), role, snapshot);
  const auto tree = pg::parse_own(read, std::size_t{64} << 20);
  if (!tree || tree->result->n_stmts != 1) return "an answer that does not parse: " + statement.sql;
  const auto verified = verify_tree(read, *tree->result->stmts[0]->stmt, role, snapshot);
  if (!verified) return "an answer that the verifier rejects: " + statement.sql;
  if (verified->has_masked != statement.is_masked || verified->has_protected != statement.is_protected)
    return "an answer whose reads were told wrongly: " + statement.sql;
  if (role != "analyst" && statement.is_masked) return "a mask for a role that has none";
  if (role != "dpo") {
    if (statement.is_protected && !statement.is_masked) return "a protected table without its mask";
    if (role != "analyst" && statement.is_protected)
      return "a protected table for a role that may not read it";
    const std::string whole = with_whole_masks(statement.sql, role, snapshot);
    if (const auto raw = find_raw_reference(whole, people_mask(snapshot)); !raw.empty())
      return raw + ": " + statement.sql;
  }
  if (statement.is_masked || reads_catalogs(*tree)) return "";  // masks are read again as what they read
  if (statement.sql.find(kOpenMarker) != std::string::npos) return "";  // a client can't ask as a guard does
  // The lists of what readers are told (rewriter/told) are read again as sub-selects of constants.
  if (statement.sql.find("AS t WHERE t.column1 IS NOT NULL") != std::string::npos) return "";
  // The client's search path and role have other names on the server, which a client may not use.
  if (statement.sql.find(kPathSetting) != std::string::npos) return "";
  if (statement.sql.find(kRoleSetting) != std::string::npos) return "";
  return not_idempotent(statement, role, snapshot);
}

}  // namespace

std::string broken_invariant(std::string_view sql, const std::string& role, const Snapshot& snapshot) {
  const Verdict verdict = rewrite(sql, {role}, snapshot);
  if (const auto* refusal = std::get_if<Refusal>(&verdict))
    return broken_refusal(refusal->reason, refusal->position, sql);
  if (const auto* error = std::get_if<Error>(&verdict)) {
    if (error->sqlstate.size() != 5 || error->public_message.empty()) return "an error without words";
    return error->position < 0 || error->position > characters(sql) + 1 ? "an error outside the text" : "";
  }
  const Verdict again = rewrite(sql, {role}, snapshot);
  const auto& first = std::get<Rewritten>(verdict).statements;
  const auto* second = std::get_if<Rewritten>(&again);
  if (second == nullptr || second->statements.size() != first.size())
    return "another verdict for the same text";
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].sql != second->statements[i].sql) return "another answer for the same text";
    if (auto broken = broken_statement(first[i], role, snapshot); !broken.empty()) return broken;
  }
  return "";
}

}  // namespace pgveil::rewriter::test
