#pragma once
// What a client gets when there is no place for it: FATAL 53300, after its start-up packet. A CancelRequest
// is still acted on: the one who wants to cancel is why the places are taken.
#include <chrono>

#include "proxy/net/asio_types.hpp"
#include "proxy/net/registry.hpp"
#include "proxy/net/tls_settings.hpp"

namespace pgveil::net {

// registry outlives the coroutine, which lasts no longer than `timeout`.
[[nodiscard]] Task<void> turn_away(Socket client, Registry& registry, std::shared_ptr<const TlsSettings> tls,
                                   std::chrono::milliseconds timeout);

}  // namespace pgveil::net
