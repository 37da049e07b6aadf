#pragma once
// COPY … TO STDOUT. The other two kinds never start: COPY FROM STDIN and replication are refused before they
// are sent, so a client's CopyData, CopyDone or CopyFail, and a server's CopyInResponse or CopyBothResponse,
// are not in the tables.
#include "proxy/session/conversation.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session::copy {

// CopyOutResponse, CopyData or CopyDone, when it is owed. The data is passed on as it is.
void on_answer(Conversation& conversation, Expectation& front, const wire::FrameView& frame);

}  // namespace pgveil::session::copy
