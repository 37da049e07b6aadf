#pragma once
// Prepared statements follow the policies. A Bind or Describe whose statement was judged under another snapshot than the
// present one has its text judged again first: what may not be read any more is refused, and what is rewritten otherwise
// now is prepared again without a word, unless the client knows the columns of its result and they are others now.
#include <string>

#include "proxy/session/conversation.hpp"
#include "proxy/wire/backend.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session::renewal {

// Looks at the client's next message before it is taken. REQUIRES: phase ready.
void before(Conversation& conversation, const wire::FrameView& frame);

// Answers of the server have to come before the client's next message is taken.
[[nodiscard]] bool is_under_way(const Conversation& conversation);

// What a client that has seen this description counts on: names and types, in order.
[[nodiscard]] std::string result_of(const wire::RowDescription& description);
inline constexpr std::string_view kNoResult = "none";

// The server described the statement that `asked` prepared again.
void on_described(Conversation& conversation, const Expectation& asked, std::string_view result);

}  // namespace pgveil::session::renewal
