#pragma once
// What TLS is spoken with whom, as one immutable value that a reload replaces whole.
#include <memory>

#include "proxy/net/tls_context.hpp"
#include "proxy/session/session.hpp"

namespace pgveil::net {

struct TlsSettings {
  session::ClientEncryption for_clients = session::ClientEncryption::declined;
  std::shared_ptr<const TlsContext> clients;  // null when declined
  std::shared_ptr<const TlsContext> backend;  // null: the backend is spoken to in the clear
  bool backend_channel_binding = false;       // SCRAM-SHA-256-PLUS is required there
};

}  // namespace pgveil::net
