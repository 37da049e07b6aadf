#pragma once
// What a client is told beside its answers (rewriter/statement/notice.hpp), and whether it wants to be told.
// NoticeResponse may come at any time: it goes to the client with the step that sends the statement on, so
// before the first row of its answer. A client that sends ahead gets it among the answers to what it sent
// before.
#include <set>
#include <string>

#include "proxy/session/backend_state.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::session {

struct Conversation;

// The session's own book. A SET counts when it is sent, and is not taken back with its transaction.
struct NoticeBook {
  struct Wishes {
    bool own = true;    // pgveil.notices
    bool level = true;  // client_min_messages is notice
    bool operator==(const Wishes&) const = default;
  };
  Wishes at_start;
  Wishes now;
  std::set<std::string, std::less<>> told;  // policies
};

// The settings that the client asked for in its start-up packet.
void begin(NoticeBook& book, const Settings& settings);
void apply(NoticeBook& book, const rewriter::NoticeSwitches& switches);

// The message at hand is about to be sent: its masked tables, each once per session.
void tell_tables(Conversation& conversation);
// This text was just judged.
void tell_conditions(Conversation& conversation, const rewriter::Rewritten& rewritten);

}  // namespace pgveil::session
