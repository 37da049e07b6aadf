#include "proxy/session/stale_plan.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/renewal.hpp"

namespace pgveil::session::stale_plan {
namespace {

// No such operator or function; a type that does not fit; a parameter of two types.
constexpr auto kDoesNotFit = std::to_array<std::string_view>({"42883", "42804", "42P08"});

// Of a statement that the client sends with each use. Its other statements get PostgreSQL's error, and so
// does one that was prepared just now: then its own constants fit no operator, and no table was altered.
bool no_longer_fits(const Conversation& conversation, const wire::ErrorResponse& error) {
  const Expectation& front = conversation.expected.front();
  if (front.step != Step::bind || !front.uses.name.empty()) return false;
  if (front.uses.is_new || conversation.retry.times > 0) return false;
  const std::string sqlstate = sqlstate_of(error.diagnostics);
  return std::ranges::find(kDoesNotFit, sqlstate) != kDoesNotFit.end();
}

bool knows_columns(const OwnUse& use) {
  return use.told != nullptr && !use.told->empty();
}

}  // namespace

bool is_met(const Conversation& conversation, const wire::ErrorResponse& error) {
  return !conversation.expected.empty() && !conversation.expected.front().uses.key.empty() &&
         conversation.state.server != nullptr &&
         (is_of_stale_plan(error) || no_longer_fits(conversation, error));
}

bool may_run_again(const Conversation& conversation, const wire::ErrorResponse& error) {
  return is_met(conversation, error) && !knows_columns(conversation.expected.front().uses);
}

wire::ErrorResponse forget(Conversation& conversation) {
  PGVEIL_ASSERT(!conversation.expected.empty() && conversation.state.server != nullptr);
  const OwnUse& use = conversation.expected.front().uses;
  PreparedStatements& statements = conversation.state.server->statements;
  if (const std::string* name = statements.find(use.key)) {
    conversation.unclosed.push_back(*name);
    statements.forget(use.key);
  }
  while (statements.kept_bytes() > 0) conversation.unclosed.push_back(statements.take_oldest_kept());
  conversation.state.gate.note_stale_versions(conversation.state.database);
  if (knows_columns(use)) renewal::refuse_stale(conversation, use.name, use.told);
  if (knows_columns(use) || !use.name.empty()) return renewal::changed_result();
  return refuse(sqlstate::kSerializationFailure, "a table was altered since its statement was planned",
                "run the transaction again");
}

}  // namespace pgveil::session::stale_plan
