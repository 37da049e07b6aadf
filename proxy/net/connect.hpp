#pragma once
// Connections to the backend.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "common/error.hpp"
#include "proxy/net/asio_types.hpp"
#include "proxy/net/tls_session.hpp"

namespace pgveil::net {

struct Endpoint {
  std::string host;  // a name, an address, or the folder of a Unix socket, with / at its start
  std::uint16_t port = 0;
};

struct Connection {
  Socket socket;
  std::unique_ptr<TlsSession> tls;  // established; null: none was asked for
};

// Resolves and connects, on the context of the coroutine; with a context for TLS, never without it. Errors:
// ErrorKind::connection (08001, 08006); the public message names no address, private_detail says what the
// system or OpenSSL said. A name server that hangs may exceed the timeout: the system's own resolver can't be
// interrupted.
[[nodiscard]] Task<Result<Connection>> connect(Endpoint target, std::chrono::milliseconds timeout,
                                               std::shared_ptr<const TlsContext> tls);

// Sends a CancelRequest over a connection of its own and waits, no longer than `timeout`, for the server to
// close it. False: it was sent and may still arrive.
[[nodiscard]] Task<bool> forward_cancel(Endpoint target, std::chrono::milliseconds timeout,
                                        std::shared_ptr<const TlsContext> tls, std::uint32_t pid,
                                        std::uint32_t secret);

}  // namespace pgveil::net
