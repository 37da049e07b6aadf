#pragma once
// How TLS is used with clients and with the backend: one immutable value, which a reload replaces as a whole.
#include <memory>

#include "proxy/net/tls_context.hpp"
#include "proxy/session/session.hpp"

namespace pgveil::net {

struct TlsSettings {
  session::ClientEncryption for_clients = session::ClientEncryption::declined;
  std::shared_ptr<const TlsContext> clients;  // null when declined
  std::shared_ptr<const TlsContext> backend;  // null: the connection to the backend is not encrypted
  bool backend_channel_binding = false;       // SCRAM-SHA-256-PLUS is required for the backend login
};

}  // namespace pgveil::net
