#include "proxy/session/prepare_on_connection.hpp"

#include <algorithm>
#include <utility>

namespace pgveil::session {
namespace {

// The books have forgotten it already. If the server skips this message, it goes to Conversation::unclosed.
void close_one(Conversation& conversation, std::string name) {
  conversation.state.to_backend(wire::Close{.target = wire::Target::statement, .name = name});
  conversation.expect({.step = Step::close,
                       .mark = conversation.registry.mark(),
                       .shown = Expectation::Shown::not_at_all,
                       .closes = std::move(name)});
}

// Makes room for one more statement of this size.
void make_room(Conversation& conversation, std::size_t size_bytes, PreparedStatements::Origin origin) {
  PreparedStatements& statements = conversation.state.server->statements;
  const SessionLimits& limits = conversation.state.config.limits;
  const auto is_full = [&] {
    return statements.size() >= std::max<std::size_t>(limits.prepared_statements, 1) ||
           statements.size_bytes() + size_bytes > limits.statement_bytes;
  };
  const bool is_kept = origin == PreparedStatements::Origin::kept;
  while (is_kept && statements.kept_bytes() > 0 &&
         statements.kept_bytes() + size_bytes > limits.kept_plan_bytes)
    close_one(conversation, statements.take_oldest_kept());
  while (statements.size() > 0 && is_full()) close_one(conversation, statements.take_oldest());
}

}  // namespace

bool fits_as_kept(const Conversation& conversation, std::size_t size_bytes) {
  return size_bytes <= conversation.state.config.limits.kept_plan_bytes;
}

std::string prepare_on_connection(Conversation& conversation, const std::string& key, const std::string& sql,
                                  const std::vector<std::uint32_t>& types, PreparedStatements::Origin origin,
                                  Expectation expectation) {
  make_room(conversation, sql.size(), origin);
  std::string name = conversation.state.server->statements.add(key, sql.size(), origin);
  conversation.state.to_backend(wire::Parse{.statement = name, .sql = sql, .parameter_types = types});
  conversation.is_unsynced = true;
  expectation.prepares = key;
  conversation.expect(std::move(expectation));
  return name;
}

void close_all_later(Conversation& conversation) {
  PreparedStatements& statements = conversation.state.server->statements;
  while (statements.size() > 0) conversation.unclosed.push_back(statements.take_oldest());
}

bool close_unclosed(Conversation& conversation) {
  if (conversation.unclosed.empty()) return false;
  for (std::string& name : std::exchange(conversation.unclosed, {})) close_one(conversation, std::move(name));
  conversation.state.to_backend(wire::Sync{});
  conversation.expect(
      {.step = Step::sync, .mark = conversation.registry.mark(), .shown = Expectation::Shown::not_at_all});
  return true;
}

bool is_closing_unclosed(const Conversation& conversation) {
  if (conversation.expected.empty()) return false;
  const Expectation& last = conversation.expected.back();
  return last.step == Step::sync && last.shown == Expectation::Shown::not_at_all;
}

}  // namespace pgveil::session
