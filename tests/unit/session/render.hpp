#pragma once
// Byte streams as one line of text, so that scripts can say what they expect and failures can be read.
#include <string>
#include <string_view>

#include "proxy/session/session.hpp"

namespace pgveil::session::testing {

// "T(city:7/3) D(Hamlet|NULL) C(SELECT 1) Z(I)". An ErrorResponse is E(severity sqlstate message / hint
// @position). Bytes that are no frame are shown as they are after '?'.
[[nodiscard]] std::string render_to_client(std::string_view bytes);

// "Q(ok: SELECT 1)". A start-up packet (at the beginning only) is Startup(name=value …).
enum class Beginning { startup, frame };
[[nodiscard]] std::string render_to_backend(std::string_view bytes, Beginning beginning);

// "ConnectBackend LoginDone …"; log lines are left out.
[[nodiscard]] std::string render(const std::vector<Command>& commands);

}  // namespace pgveil::session::testing
