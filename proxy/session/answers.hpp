#pragma once
// What the server says while the session is ready: matched with what it owes us, filtered, and passed on.
#include "proxy/session/conversation.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session::answers {

// One frame of the server. Anything that is not owed now ends the session.
void on_frame(Conversation& conversation, const wire::FrameView& frame);

}  // namespace pgveil::session::answers
