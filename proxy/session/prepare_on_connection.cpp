#include "proxy/session/prepare_on_connection.hpp"

#include <algorithm>
#include <utility>

namespace pgveil::session {
namespace {

// Makes room for one more statement of this size.
void close_oldest(Conversation& conversation, std::size_t size_bytes) {
  PreparedStatements& statements = conversation.state.server->statements;
  const SessionLimits& limits = conversation.state.config.limits;
  const auto is_full = [&] {
    return statements.size() >= std::max<std::size_t>(limits.prepared_statements, 1) ||
           statements.size_bytes() + size_bytes > limits.statement_bytes;
  };
  while (statements.size() > 0 && is_full()) {
    conversation.state.to_backend(
        wire::Close{.target = wire::Target::statement, .name = statements.take_oldest()});
    conversation.expect(
        {.step = Step::close, .mark = conversation.registry.mark(), .shown = Expectation::Shown::not_at_all});
  }
}

}  // namespace

std::string prepare_on_connection(Conversation& conversation, const std::string& key, const std::string& sql,
                                  const std::vector<std::uint32_t>& types, Expectation expectation) {
  close_oldest(conversation, sql.size());
  std::string name = conversation.state.server->statements.add(key, sql.size());
  conversation.state.to_backend(wire::Parse{.statement = name, .sql = sql, .parameter_types = types});
  conversation.is_unsynced = true;
  expectation.prepares = key;
  conversation.expect(std::move(expectation));
  return name;
}

}  // namespace pgveil::session
