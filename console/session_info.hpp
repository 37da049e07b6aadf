#pragma once
// The state of one live session and the traffic of one database, as plain values for the console and the
// metrics. They have names and addresses, but never a statement or a value.
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>

namespace pgveil::console {

// login: not authenticated yet; waiting: for the backend; in_transaction: one is open, but nothing runs.
enum class SessionState { login, waiting, idle, in_transaction, active };

struct Address {
  std::string host;  // an address, or "unix"
  std::uint16_t port = 0;
};

// A connection to the backend, whoever holds it.
struct ServerConnection {
  std::uint64_t id = 0;
  Address server, local;         // the server's end and ours
  std::string tls;               // "TLSv1.3/TLS_AES_256_GCM_SHA384"; empty: none
  std::time_t connected_at = 0;  // seconds since 1970
};

struct SessionInfo {
  std::uint64_t id = 0;
  std::string role, database, application_name;  // empty before the login
  SessionState state = SessionState::login;
  std::shared_ptr<const ServerConnection> server;  // null: it has none
  std::uint32_t backend_pid = 0;
  Address client, local;                  // of the client's connection: its end and ours
  std::string tls;                        // of the client's connection
  std::time_t connected_at = 0;           // seconds since 1970, like the next one; 0: not yet
  std::time_t requested_at = 0;           // of the last request
  std::int64_t waited_us = 0;             // for the backend, until now
  std::uint64_t prepared_statements = 0;  // including portals
  std::uint64_t pending_bytes = 0;        // to the client and the backend
  bool is_ending = false;                 // ends at the next rest
};

// Counted since the start.
struct Traffic {
  std::uint64_t transactions = 0, queries = 0, assignments = 0;  // assignments: sessions given a backend
  std::uint64_t received_bytes = 0, sent_bytes = 0;              // from and to clients
  std::uint64_t transaction_us = 0, query_us = 0, wait_us = 0;
};
struct DatabaseTraffic {
  std::string database;
  Traffic total;
  Traffic period;  // of the last complete period
};
inline constexpr std::uint64_t kTrafficPeriodSeconds = 60;

}  // namespace pgveil::console
