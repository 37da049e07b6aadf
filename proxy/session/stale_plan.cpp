#include "proxy/session/stale_plan.hpp"

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/renewal.hpp"

namespace pgveil::session::stale_plan {
namespace {

bool knows_columns(const OwnUse& use) {
  return use.told != nullptr && !use.told->empty();
}

}  // namespace

bool is_met(const Conversation& conversation, const wire::ErrorResponse& error) {
  return !conversation.expected.empty() && !conversation.expected.front().uses.key.empty() &&
         conversation.state.server != nullptr && is_of_stale_plan(error);
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
