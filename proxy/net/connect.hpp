#pragma once
// Opens connections to the backend.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "common/error.hpp"
#include "common/wanted_server.hpp"
#include "proxy/net/asio_types.hpp"
#include "proxy/net/tls_session.hpp"
#include "proxy/wire/startup.hpp"

namespace pgveil::net {

struct Connection {
  Socket socket;
  std::unique_ptr<TlsSession> tls;  // established; null: TLS was not asked for
};

// Resolves and connects, on the context of the coroutine. With a TLS context, the connection always uses TLS.
// Errors: ErrorKind::connection (08001, 08006); the public message names no address, and private_detail has
// the text of the system or OpenSSL. A name server that hangs may exceed the timeout, because the system's
// own resolver cannot be interrupted.
[[nodiscard]] Task<Result<Connection>> connect(HostPort target, std::chrono::milliseconds timeout,
                                               std::shared_ptr<const TlsContext> tls);

// Sends the request over its own connection and waits, at most `timeout`, until the server closes it.
// False: the request was sent and may still arrive.
[[nodiscard]] Task<bool> forward_cancel(HostPort target, std::chrono::milliseconds timeout,
                                        std::shared_ptr<const TlsContext> tls, wire::CancelRequest request);

}  // namespace pgveil::net
