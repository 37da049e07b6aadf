#pragma once
// What the network side needs to know. Durations in milliseconds, sizes in bytes.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

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
  std::uint16_t listen_port = 6432;       // 0: any free one; Server::port() tells
  bool is_loopback_only = false;          // what the name stands for is asked, and anything else refused
  std::string socket_dir;                 // listens on a Unix socket there as well; empty: on none
  unsigned socket_mode = 0770;
  InheritedSockets inherited;  // if any: instead of all of these
  Endpoint backend;
  // Asked for each new connection, on any thread; never null.
  std::function<std::shared_ptr<const TlsSettings>()> tls = [] {
    return std::make_shared<const TlsSettings>();
  };
  session::SessionConfig session;  // keys, nonces, encryption and an empty mock_secret are filled in
  AuditSink* audit = nullptr;      // outlives the server; null: nothing is audited
  ClientLimits clients;
  // Places are kept for such a role's sessions of the console. Asked on any thread.
  std::function<bool(const std::string& role)> is_admin = [](const std::string&) { return false; };
  PoolRules pools = [](const std::string&, const std::string&) { return PoolSettings{}; };
  std::size_t threads = 2;          // network threads; each drives its share of the sessions
  std::size_t console_threads = 2;  // console commands block; they run here
  // Of both kinds of thread: EXPLAIN parses SQL too.
  std::size_t thread_stack_bytes = rewriter::kParserStackBytes;
  // From accept until the client has shown who it is.
  std::chrono::milliseconds login_timeout{10'000};
  // To the backend.
  std::chrono::milliseconds connect_timeout{10'000};
  // How long a session may be in one state; 0: for ever.
  std::chrono::milliseconds client_idle_timeout{0};
  std::chrono::milliseconds idle_in_transaction_timeout{0};
  std::chrono::milliseconds query_timeout{0};
  // To hand the last bytes to a peer and to wait for its goodbye.
  std::chrono::milliseconds close_timeout{5'000};
  // A peer that is this far behind is not sent more: its source is not read.
  std::size_t queue_limit_bytes = 1 << 20;
};

}  // namespace pgveil::net
