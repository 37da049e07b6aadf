#pragma once
// Parse, Bind, Describe, Execute, Close, Flush and Sync.
#include "proxy/session/conversation.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session::extended {

// REQUIRES: no ReadyForQuery is outstanding. While the conversation is skipping, all but Sync are decoded and
// dropped.
void on_message(Conversation& conversation, const wire::FrameView& frame);

// Makes the server answer what it may have kept back, since nothing more is sent until it did.
void flush(Conversation& conversation);

}  // namespace pgveil::session::extended
