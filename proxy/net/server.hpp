#pragma once
// The listening side of pgveil: it accepts clients, drives a session for each, and ends them all.
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
  // Listens and starts the threads. gate and console must outlive the server. Signals that the caller waits
  // for must be blocked before, because the threads inherit the mask. Errors: ErrorKind::io if the address
  // cannot be listened on (who has the port, or which name is unknown); ErrorKind::limit if the system has no
  // threads left.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(ServerConfig config, session::Gate& gate,
                                                             console::Console& console);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // Calls stop(0).
  ~Server();

  // The port listened on.
  [[nodiscard]] std::uint16_t port() const;
  // Live sessions, including those that are still logging in.
  [[nodiscard]] std::size_t client_count() const;
  // Those of them that are still logging in.
  [[nodiscard]] std::size_t count_logging_in() const;
  // All sessions, ordered by id.
  [[nodiscard]] std::vector<console::SessionInfo> sessions() const;
  [[nodiscard]] const Statistics& statistics() const;
  // The connections to PostgreSQL.
  [[nodiscard]] Pools& pools();
  [[nodiscard]] const Pools& pools() const;
  // False: there is no session with this id.
  [[nodiscard]] bool kill(std::uint64_t session_id);

  // Returns one end of a new connection. Its other end is a client like any other, except that it is let in
  // without a password as whatever role it names, and that it gets masks and nothing else
  // (ClientAuthentication::vouched). The caller vouches for the client and closes the connection. Errors:
  // ErrorKind::io, ::limit.
  [[nodiscard]] Result<int> connect_vouched();

  // Lets no new client in; sessions go on. May be called again.
  void stop_listening();
  [[nodiscard]] bool is_listening() const;
  // Tells every session to end as soon as it has no open transaction.
  void end_sessions_at_rest();

  // Stops listening, ends each session as soon as it is at rest, ends all of them after `drain`, and then
  // closes what is left. Blocks, also until running console commands have ended. Call once, from the thread
  // that started the server.
  void stop(std::chrono::milliseconds drain);

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pgveil::net
