#pragma once
// The listening side of pgveil: accepts clients, drives a session for each, and ends them all.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/error.hpp"
#include "console/session_info.hpp"
#include "proxy/net/server_config.hpp"
#include "proxy/net/statistics.hpp"

namespace pgveil::net {

class Server {
 public:
  // Listens and starts the threads. gate and console outlive the server. Block the signals that are to be
  // waited for before: the threads inherit the mask. Errors: ErrorKind::io when the address can't be listened
  // on (who has the port, or what name is unknown); ErrorKind::limit when there are no threads to be had.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(ServerConfig config, session::Gate& gate,
                                                             console::Console& console);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // As stop(0).
  ~Server();

  // The port listened on.
  [[nodiscard]] std::uint16_t port() const;
  // Live sessions, those still logging in included.
  [[nodiscard]] std::size_t client_count() const;
  // Of them, those still logging in.
  [[nodiscard]] std::size_t count_logging_in() const;
  // All, by id.
  [[nodiscard]] std::vector<console::SessionInfo> sessions() const;
  [[nodiscard]] const Statistics& statistics() const;
  // The connections to PostgreSQL.
  [[nodiscard]] Pools& pools();
  [[nodiscard]] const Pools& pools() const;
  // False: there is none with this id.
  [[nodiscard]] bool kill(std::uint64_t session_id);

  // One end of a new connection whose other end is a client like any other, but let in without a password as
  // whatever role it names, with masks and nothing else (ClientAuthentication::vouched). For whoever vouches
  // for it; the caller closes it. Errors: ErrorKind::io, ::limit.
  [[nodiscard]] Result<int> connect_vouched();

  // Nobody is let in any more; sessions go on. May be called again.
  void stop_listening();
  [[nodiscard]] bool is_listening() const;
  // Tells every session to end when no transaction of it is open.
  void end_sessions_at_rest();

  // Stops listening, ends each session at its rest, and after `drain` all at once; then closes what is left.
  // Blocks, also until console commands that are running end. Call once, from the thread that started the
  // server.
  void stop(std::chrono::milliseconds drain);

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pgveil::net
