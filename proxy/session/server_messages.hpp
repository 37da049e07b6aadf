#pragma once
// Handles the messages of the server while the session is ready for statements. Each is matched with the
// answers that are expected, filtered, and passed on.
#include "proxy/session/conversation.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session::server_messages {

// Handles one message of the server. A message that is not expected now ends the session.
void on_frame(Conversation& conversation, const wire::FrameView& frame);

}  // namespace pgveil::session::server_messages
