#pragma once
// How TLS is used with clients and with the backend: one immutable value, which a reload replaces as a whole.
#include <algorithm>
#include <memory>
#include <vector>

#include "proxy/net/tls_context.hpp"
#include "proxy/session/session.hpp"

namespace pgveil::net {

struct TlsSettings {
  session::ClientEncryption for_clients = session::ClientEncryption::declined;
  std::shared_ptr<const TlsContext> clients;  // null when declined
  // One for each of ServerConfig::backends, because each has a name of its own. Empty: connections to the
  // backend are not encrypted.
  std::vector<std::shared_ptr<const TlsContext>> backends;
  bool backend_channel_binding = false;  // SCRAM-SHA-256-PLUS is required for the backend login

  // Null: not encrypted.
  [[nodiscard]] std::shared_ptr<const TlsContext> backend(std::size_t host) const {
    return backends.empty() ? nullptr : backends.at(host);
  }
  // Whether the certificate of each server is checked.
  [[nodiscard]] bool knows_backends() const {
    return !backends.empty() && std::ranges::all_of(backends, [](const auto& context) {
      return context->check() != ServerCheck::none;
    });
  }
};

}  // namespace pgveil::net
