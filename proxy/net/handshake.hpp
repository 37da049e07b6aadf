#pragma once
// A TLS handshake on a socket that nobody else reads or writes meanwhile.
#include "common/error.hpp"
#include "proxy/net/asio_types.hpp"
#include "proxy/net/tls_session.hpp"

namespace pgveil::net {

// Both outlive the coroutine. No time limit of its own. Errors: ErrorKind::connection, as TlsSession's.
[[nodiscard]] Task<Result<void>> shake_hands(Socket& socket, TlsSession& tls);

}  // namespace pgveil::net
