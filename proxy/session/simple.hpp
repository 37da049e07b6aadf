#pragma once
// Handles Query, and FunctionCall, which is answered in the same way and always refused.
#include "proxy/session/conversation.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session::simple {

// REQUIRES: nothing is expected, and the conversation is not skipping.
void on_query(Conversation& conversation, const wire::FrameView& frame);
void on_function_call(Conversation& conversation, const wire::FrameView& frame);

}  // namespace pgveil::session::simple
