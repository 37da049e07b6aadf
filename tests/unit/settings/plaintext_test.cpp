#include "settings/plaintext.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace pgveil::app {
namespace {

Config on_this_machine() {
  Config config;
  config.backend.host = "127.0.0.1";
  return config;
}

Config listening_on(std::string host, ClientTls mode) {
  auto config = on_this_machine();
  config.listen.host = std::move(host);
  config.tls.clients = mode;
  return config;
}

std::vector<std::string> warnings_of(const Config& config) {
  return plaintext_warnings(config, RemotePlaintext::allowed);
}

}  // namespace

TEST_CASE("on this machine nothing needs TLS") {
  CHECK(warnings_of(on_this_machine()).empty());
  for (const char* host : {"127.0.0.1", "127.3.2.1", "::1", "localhost"}) {
    CAPTURE(host);
    CHECK(warnings_of(listening_on(host, ClientTls::disable)).empty());
    auto config = on_this_machine();
    config.backend.host = host;
    CHECK(warnings_of(config).empty());
  }
  auto socket = on_this_machine();
  socket.backend.host = "/run/postgresql";
  CHECK(warnings_of(socket).empty());
}

TEST_CASE("clients of other machines are warned of unless they need TLS") {
  for (const char* host : {"0.0.0.0", "::", "10.0.0.5", "db.example", "127.evil.example"}) {
    CAPTURE(host);
    for (const auto& [mode, name] :
         {std::pair(ClientTls::disable, "disable"), std::pair(ClientTls::allow, "allow"),
          std::pair(ClientTls::prefer, "prefer")}) {
      const auto warnings = warnings_of(listening_on(host, mode));
      REQUIRE(warnings.size() == 1);
      CHECK(warnings[0] ==
            std::string("listen.host ") + host + " is not a loopback address, and with tls.clients.mode " +
                name +
                " clients may log in without TLS: the network can read their queries and the answers; set "
                "tls.clients.mode to require (with cert_file and key_file), or listen on 127.0.0.1");
    }
    CHECK(warnings_of(listening_on(host, ClientTls::require)).empty());
    CHECK(warnings_of(listening_on(host, ClientTls::verify_ca)).empty());
    CHECK(plaintext_warnings(listening_on(host, ClientTls::prefer), RemotePlaintext::refused).empty());
  }
}

TEST_CASE("servers on other machines are warned of without TLS") {
  auto config = on_this_machine();
  config.backend.host.clear();
  config.backend.hosts = {{"127.0.0.1", 0}, {"db1.example", 0}, {"10.0.0.7", 5433}};
  const auto warnings = plaintext_warnings(config, RemotePlaintext::refused);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].starts_with(
      "tls.backend.mode is disable, and PostgreSQL is on another machine (db1.example, 10.0.0.7): "));
  CHECK(warnings[0].ends_with("set tls.backend.mode to verify-full (with ca_file)"));
  for (const auto mode : {BackendTls::require, BackendTls::verify_ca, BackendTls::verify_full}) {
    config.tls.backend = mode;
    CHECK(warnings_of(config).empty());
  }
}

}  // namespace pgveil::app
