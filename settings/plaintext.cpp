#include "settings/plaintext.hpp"

#include <fmt/format.h>

#include "common/assert.hpp"
#include "proxy/net/address.hpp"

namespace pgveil::app {
namespace {

bool is_local_host(std::string_view host) {
  return is_socket_folder(host) || net::is_loopback(host) || host == "localhost";
}

// How the mode is written, if it lets clients log in without TLS; otherwise empty.
std::string_view open_mode(ClientTls mode) {
  switch (mode) {
    case ClientTls::disable: return "disable";
    case ClientTls::allow: return "allow";
    case ClientTls::prefer: return "prefer";
    case ClientTls::require:
    case ClientTls::verify_ca: return {};
  }
  PGVEIL_ASSERT(false);
}

std::string remote_hosts(const BackendConfig& backend) {
  std::string out;
  for (const auto& place : places_of(backend)) {
    if (!is_local_host(place.host)) out += (out.empty() ? "" : ", ") + place.host;
  }
  return out;
}

}  // namespace

std::vector<std::string> plaintext_warnings(const Config& config, RemotePlaintext logins) {
  std::vector<std::string> out;
  const auto mode = open_mode(config.tls.clients);
  if (!mode.empty() && logins == RemotePlaintext::allowed && !is_local_host(config.listen.host)) {
    out.push_back(
        fmt::format("listen.host {} is not a loopback address, and with tls.clients.mode {} clients may log "
                    "in without TLS: the network can read their queries and the answers; set "
                    "tls.clients.mode to require (with cert_file and key_file), or listen on 127.0.0.1",
                    config.listen.host, mode));
  }
  const auto hosts = remote_hosts(config.backend);
  if (config.tls.backend == BackendTls::disable && !hosts.empty()) {
    out.push_back(
        fmt::format("tls.backend.mode is disable, and PostgreSQL is on another machine ({}): the network can "
                    "read what pgveil asks and is answered, and that contains what readers may not see; set "
                    "tls.backend.mode to verify-full (with ca_file)",
                    hosts));
  }
  return out;
}

}  // namespace pgveil::app
