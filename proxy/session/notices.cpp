#include "proxy/session/notices.hpp"

#include "proxy/session/conversation.hpp"
#include "proxy/session/error_response.hpp"
#include "rewriter/lists/session_settings.hpp"

namespace pgveil::session {

namespace {

using rewriter::NoticeSwitch;

void turn(bool& wish, bool at_start, NoticeSwitch to) {
  switch (to) {
    case NoticeSwitch::untouched: return;
    case NoticeSwitch::on: wish = true; return;
    case NoticeSwitch::off: wish = false; return;
    case NoticeSwitch::reset: wish = at_start; return;
  }
}

bool wants_notices(const NoticeBook& book) {
  return book.now.own && book.now.level;
}

void tell(SessionState& state, const rewriter::Notice& notice) {
  constexpr std::string_view kSuccessful = "00000";
  state.to_client(wire::NoticeResponse{diagnostics("NOTICE", kSuccessful, notice.message, notice.hint)});
}

}  // namespace

void begin(NoticeBook& book, const Settings& settings) {
  for (const auto& [name, value] : settings) apply(book, rewriter::switches_of(name, value));
  book.at_start = book.now;
}

void apply(NoticeBook& book, const rewriter::NoticeSwitches& switches) {
  turn(book.now.own, book.at_start.own, switches.own);
  turn(book.now.level, book.at_start.level, switches.level);
}

void tell_tables(Conversation& conversation) {
  NoticeBook& book = conversation.notices;
  if (!wants_notices(book)) return;
  for (const rewriter::Notices::OfTable& table : conversation.findings.tables) {
    if (book.told.insert(table.policy).second) tell(conversation.state, *table.notice);
  }
}

void tell_conditions(Conversation& conversation, const rewriter::Rewritten& rewritten) {
  const bool was_told = conversation.retry.times > 0;  // it is pgveil that sends it again
  if (was_told || !wants_notices(conversation.notices)) return;
  for (const rewriter::Statement& statement : rewritten.statements) {
    for (const rewriter::Notice& notice : statement.notices.conditions) tell(conversation.state, notice);
  }
}

}  // namespace pgveil::session
