#pragma once
// Keeps the statements, portals and cursors that the server has for a client in step with the policies. Each
// was judged under a snapshot. When it is used under another snapshot, its text is judged again first, and
// what may no longer be read is refused. If a statement of Parse is rewritten differently now, it is prepared
// again at its next Bind or Describe, without the client noticing; it is refused if the client was told the
// columns of its result and they have changed. Everything else (EXECUTE, FETCH, Execute of a portal) cannot
// be made again under its name, and is refused.
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/session/conversation.hpp"
#include "proxy/wire/backend.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session::renewal {

// Called before the client's next message is handled. REQUIRES: phase ready.
void before(Conversation& conversation, const wire::FrameView& frame);

// Why the thing that the name stands for must not run now. nullopt: judging it now would give the same text.
// serving: of the same step. REQUIRES: use.entry.
[[nodiscard]] std::optional<wire::ErrorResponse> judge_again(Conversation& conversation, const Use& use,
                                                             const Serving& serving);

// True: the client's next message must wait for answers of the server.
[[nodiscard]] bool is_under_way(const Conversation& conversation);

// What a client that has seen this description relies on: names and types of the columns, in order.
[[nodiscard]] std::string result_of(const wire::RowDescription& description);
inline constexpr std::string_view kNoResult = "none";

// The server refuses the statement because it would return other columns than `told`, which the client knows.
// It is refused here too, until the client prepares it again or the policies change.
void refuse_stale(Conversation& conversation, std::string_view name,
                  const std::shared_ptr<const std::string>& told);
// What the client is told then.
[[nodiscard]] wire::ErrorResponse changed_result();

// Handles the server's description of the statement that `asked` prepared again.
void on_described(Conversation& conversation, const Expectation& asked, std::string_view result);

}  // namespace pgveil::session::renewal
