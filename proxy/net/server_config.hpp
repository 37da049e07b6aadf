#pragma once
// The configuration of the network side. Durations are in milliseconds, sizes in bytes.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/process/password_command.hpp"
#include "common/wanted_server.hpp"
#include "proxy/net/audit_trail.hpp"
#include "proxy/net/connect.hpp"
#include "proxy/net/inherited_sockets.hpp"
#include "proxy/net/pool.hpp"
#include "proxy/net/session_registry.hpp"
#include "proxy/net/tls_settings.hpp"
#include "proxy/session/session.hpp"

namespace pgveil::net {

struct ServerConfig {
  std::string listen_host = "127.0.0.1";  // a name or an address
  std::uint16_t listen_port = 6432;       // 0: any free port, which Server::port() returns
  bool is_loopback_only = false;          // the name is resolved; any other address is refused
  std::string socket_dir;                 // also listens on a Unix socket in this folder; empty: on none
  unsigned socket_mode = 0770;
  InheritedSockets inherited;                       // if there are any, they replace all of the above
  std::vector<HostPort> backends;                   // at least one
  WantedServer wanted = WantedServer::any;          // which of them answer clients
  std::shared_ptr<PasswordCommand> query_password;  // prints the password of query_role; null: none does
  // Called for each new connection, on any thread; never null.
  std::function<std::shared_ptr<const TlsSettings>()> tls = [] {
    return std::make_shared<const TlsSettings>();
  };
  // pid, secrets, nonces, encryption and mock_secret (if empty) are filled in
  session::SessionConfig session;
  AuditSink* audit = nullptr;  // outlives the server; null: nothing is audited
  ClientLimits clients;
  // Whether places are reserved for this role's console sessions. Called on any thread.
  std::function<bool(const std::string& role)> is_admin = [](const std::string&) { return false; };
  PoolRules pools = [](const std::string&, const std::string&) { return PoolSettings{}; };
  std::size_t threads = 2;          // network threads; each drives its share of the sessions
  std::size_t console_threads = 2;  // console commands block; they run here
  // For both kinds of thread: console threads parse SQL for EXPLAIN too.
  std::size_t thread_stack_bytes = rewriter::kParserStackBytes;
  // From accept until the client is authenticated.
  std::chrono::milliseconds login_timeout{10'000};
  // For connecting to the backend.
  std::chrono::milliseconds connect_timeout{10'000};
  // How long a session may be in one state; 0: without limit.
  std::chrono::milliseconds client_idle_timeout{0};
  std::chrono::milliseconds idle_in_transaction_timeout{0};
  std::chrono::milliseconds query_timeout{0};
  // A masked request that takes longer is counted as slow.
  std::chrono::milliseconds slow_query{1'000};
  // How long to send the last bytes to a peer and to wait until it closes.
  std::chrono::milliseconds close_timeout{5'000};
  // A peer that is this far behind gets nothing more, and its source is not read.
  std::size_t queue_limit_bytes = 1 << 20;
};

}  // namespace pgveil::net
