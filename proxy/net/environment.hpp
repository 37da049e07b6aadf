#pragma once
// What all sessions of one server share. Everything referred to here must outlive them.
#include "proxy/net/asio_types.hpp"
#include "proxy/net/lost_servers.hpp"
#include "proxy/net/pool.hpp"
#include "proxy/net/server_config.hpp"
#include "proxy/net/session_registry.hpp"
#include "proxy/net/statistics.hpp"

namespace pgveil::net {

struct Environment {
  const ServerConfig& config;
  session::Gate& gate;
  console::Console& console;
  SessionRegistry& registry;
  Pools& pools;
  Statistics& statistics;
  asio::io_context& console_pool;  // threads that may block
  asio::io_context&
      look_up_pool;  // a separate pool, so that logins never wait for commands, nor commands for logins
  asio::io_context& password_pool;  // runs ServerConfig::query_password
  LostServers& lost_servers;
};

}  // namespace pgveil::net
