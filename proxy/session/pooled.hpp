#pragma once
// What is different for a client's statements when connections are lent for one transaction at a time.
// Statements of Parse are prepared on whatever connection the client has at the moment, under names that
// pgveil chose. A statement that would need the same connection for the whole session is refused.
//
// In the other modes these functions change nothing, with one exception: an unnamed statement that comes
// again, and takes long to plan, is prepared under a name of pgveil's in every mode. So its plan stays on the
// server, as with kept_plan.hpp. The key of such a statement names the snapshot.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "proxy/session/conversation.hpp"

namespace pgveil::session::pooled {

[[nodiscard]] bool is_in_use(const Conversation& conversation);

// 0A000 for a statement that needs a connection of its own; 26000 for DEALLOCATE of a name that is not known.
[[nodiscard]] std::optional<wire::ErrorResponse> refuse(const Conversation& conversation,
                                                        const rewriter::Rewritten& rewritten);

// The text that is sent in place of a statement's own text, because statements have other names on the
// server.
[[nodiscard]] const std::string& text_of(const Conversation& conversation,
                                         const rewriter::Statement& statement);

// Records what running this does to the connection: changed settings, and what is prepared there.
void note_effect(Conversation& conversation, const Entry& entry);
// Records that the server drops its unnamed statement, whatever the message leads to.
void note_unnamed_dropped(Conversation& conversation);
// Records that a Parse was refused or skipped.
void note_not_prepared(Conversation& conversation, const std::string& key);

[[nodiscard]] PortalLife cursor_life(const Conversation& conversation, const Entry& entry);

// Whether pgveil chooses the server's name for this statement.
[[nodiscard]] bool is_placed(const Conversation& conversation, const Entry* entry);

// 42P05 for a Parse of a name that exists; 25P02 where PostgreSQL answers so before it looks at the name.
// REQUIRES: `rewritten` is the verdict on the message's text, and has one statement at most.
[[nodiscard]] std::optional<wire::ErrorResponse> check_parse(const Conversation& conversation,
                                                             const wire::Parse& message,
                                                             const rewriter::Rewritten& rewritten);
// Records how this Parse makes the statement from what is sent.
[[nodiscard]] std::shared_ptr<const ParsedText> parsed_text(Conversation& conversation,
                                                            const wire::Parse& message,
                                                            const LetThrough& judged, const SentText& sent);
// The same for a statement for which something else is sent now: `fresh`. name: the client's.
[[nodiscard]] std::shared_ptr<const ParsedText> renewed_text(Conversation& conversation,
                                                             const ParsedText& parsed, std::string_view name,
                                                             const Entry& fresh);
// REQUIRES: is_placed.
[[nodiscard]] std::optional<wire::ErrorResponse> send_parse(Conversation& conversation,
                                                            const wire::Parse& message, const Entry& entry,
                                                            const std::string& sent_sql, std::size_t mark);

// Prepares the statement on the current connection, unless it is prepared there. Returns the server's name
// for it, or why it cannot be used. REQUIRES: is_placed; `use` is what the registry knows of the client's
// name.
[[nodiscard]] std::variant<std::string, wire::ErrorResponse> prepare_here(Conversation& conversation,
                                                                          const Use& use);

// The message sent for Close of a named statement: only the client's name for the statement is dropped.
[[nodiscard]] wire::Close stand_in_for_close();

}  // namespace pgveil::session::pooled
