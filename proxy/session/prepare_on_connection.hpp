#pragma once
// Prepares statements on the connection at hand under names that pgveil chooses (BackendState::statements).
#include <cstdint>
#include <string>
#include <vector>

#include "proxy/session/conversation.hpp"

namespace pgveil::session {

// Sends the Parse of a statement that is not on the connection, after it has closed others that were not used
// for the longest time if there is no room. Returns its name there. The Expectation is completed and entered.
// REQUIRES: state.server is set; a statement that is kept fits (fits_as_kept).
std::string prepare_on_connection(Conversation& conversation, const std::string& key, const std::string& sql,
                                  const std::vector<std::uint32_t>& types, PreparedStatements::Origin origin,
                                  Expectation expectation);

// Forgets all statements of the connection. Those that the server still has after this batch are closed then.
void close_all_later(Conversation& conversation);

// Closes Conversation::unclosed in a batch of pgveil's own, of which the client sees nothing. False: there is
// nothing to close. REQUIRES: nothing is expected.
[[nodiscard]] bool close_unclosed(Conversation& conversation);
// Whether such a batch is being answered.
[[nodiscard]] bool is_closing_unclosed(const Conversation& conversation);

// Whether a text of this size may be kept at all.
[[nodiscard]] bool fits_as_kept(const Conversation& conversation, std::size_t size_bytes);

}  // namespace pgveil::session
