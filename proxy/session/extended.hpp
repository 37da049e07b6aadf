#pragma once
// Handles Parse, Bind, Describe, Execute, Close, Flush and Sync.
#include "proxy/session/conversation.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session::extended {

// REQUIRES: no ReadyForQuery is outstanding. While the conversation is skipping, all messages except Sync are
// decoded and dropped.
void on_message(Conversation& conversation, const wire::FrameView& frame);

// Makes the server send answers that it may have held back, because nothing more is sent before they come.
void flush(Conversation& conversation);

}  // namespace pgveil::session::extended
