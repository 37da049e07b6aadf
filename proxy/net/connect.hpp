#pragma once
// Connections to the backend.
#include <chrono>
#include <cstdint>
#include <string>

#include "common/error.hpp"
#include "proxy/net/asio_types.hpp"

namespace pgveil::net {

struct Endpoint {
  std::string host;  // a name or an address
  std::uint16_t port = 0;
};

// Resolves and connects, on the context of the coroutine. Errors: ErrorKind::connection (08001); the public
// message names no address, private_detail says what the system said. A name server that hangs may exceed the
// timeout: the system's own resolver can't be interrupted.
[[nodiscard]] Task<Result<Socket>> connect(Endpoint target, std::chrono::milliseconds timeout);

// Sends a CancelRequest over a connection of its own and waits, no longer than `timeout`, for the server to
// close it.
[[nodiscard]] Task<void> forward_cancel(Endpoint target, std::chrono::milliseconds timeout, std::uint32_t pid,
                                        std::uint32_t secret);

}  // namespace pgveil::net
