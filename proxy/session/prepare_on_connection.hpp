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

// Whether a text of this size may be kept at all.
[[nodiscard]] bool fits_as_kept(const Conversation& conversation, std::size_t size_bytes);

}  // namespace pgveil::session
