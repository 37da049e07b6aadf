#pragma once
// The state of the pools of connections to PostgreSQL, as plain values for the console and the metrics.
#include <cstdint>
#include <memory>
#include <string>

#include "console/session_info.hpp"

namespace pgveil::console {

struct PoolInfo {
  std::string database, role;
  std::string mode;                                   // none, session, transaction
  std::uint64_t open = 0;                             // connections, including those being opened
  std::uint64_t idle = 0, cleaning = 0, waiting = 0;  // of the connections; waiting: clients in the queue
  std::uint64_t size = 0, reserve_size = 0;
  std::int64_t longest_wait_us = 0;
  bool is_paused = false;
};

// A connection that no session holds.
struct IdleServer {
  std::shared_ptr<const ServerConnection> connection;  // never null
  std::string database, role;
  std::uint32_t pid = 0;
  std::uint64_t prepared_statements = 0;
};

}  // namespace pgveil::console
