#pragma once
// Where PostgreSQL is, and which role pgveil's own queries log in as. The database is named in each call.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/process/password_command.hpp"
#include "common/wanted_server.hpp"
#include "db/server/interrupt.hpp"
#include "db/server/kept_connections.hpp"

namespace pgveil::db {

// The names are libpq's. Paths may be empty: none.
struct EndpointTls {
  std::string sslmode = "disable";
  std::string root_certificates;
  std::string revocation_lists;
  std::string certificate;
  std::string key;
  bool requires_channel_binding = false;
  bool is_direct = false;  // sslnegotiation=direct, where libpq knows it (17); otherwise libpq asks first
};

struct Endpoint {
  std::string host;
  std::uint16_t port = 5432;
  std::string user;
  std::string password;                       // empty: none is sent
  std::int64_t connect_timeout_ms = 10'000;   // libpq counts whole seconds, at least two
  std::shared_ptr<Interrupt> interrupt = {};  // null: queries run to their end
  EndpointTls tls = {};
  std::uint64_t counts_bytes = 2'147'483'648;  // the memory limit for the counted combinations of one table
  std::vector<HostPort> others = {};           // tried after `host`, in this order
  WantedServer wanted = WantedServer::any;
  std::shared_ptr<PasswordCommand> password_command = {};  // null: `password` is the password
  std::shared_ptr<KeptConnections> kept = {};              // null: each query logs in
};

// All servers, in the order in which they are tried.
[[nodiscard]] std::vector<HostPort> places_of(const Endpoint& endpoint);

}  // namespace pgveil::db
