#pragma once
// A connection to PostgreSQL on its way from one holder to the next: the driver of a session, the pool, or
// the task that cleans it. It has one holder at a time. Its socket belongs to one network thread, and is
// moved when another thread takes it over.
#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>

#include "console/session_info.hpp"
#include "proxy/net/peer_connection.hpp"
#include "proxy/session/session.hpp"

namespace pgveil::net {

// A place among the connections of a pool. It is taken before connecting and given back by the destructor.
class PoolSlot {
 public:
  explicit PoolSlot(std::function<void()> give_back) : give_back_(std::move(give_back)) {}
  PoolSlot(const PoolSlot&) = delete;
  PoolSlot& operator=(const PoolSlot&) = delete;
  ~PoolSlot() { give_back_(); }

 private:
  std::function<void()> give_back_;
};

struct BackendConnection {
  BackendConnection(const Executor& executor, std::unique_ptr<PoolSlot> place)
      : slot(std::move(place)), link(executor) {}

  std::unique_ptr<PoolSlot> slot;  // destroyed last
  PeerConnection link;
  session::Lender lender;
  std::shared_ptr<session::BackendState> state;            // set while no session holds the connection
  std::shared_ptr<const console::ServerConnection> facts;  // never null once it is open
  std::size_t host = 0;          // the number of its server in ServerConfig::backends
  std::uint64_t generation = 0;  // of RECONNECT, when it was opened
  std::chrono::steady_clock::time_point opened_at, idle_since;
  bool is_leaving = false;       // its driver has given it back, but its read loop has not ended yet
  bool must_be_cleaned = false;  // before any other session gets it
  // Counts cancel requests for this connection that may still arrive. They must not hit another client's
  // statement.
  std::shared_ptr<std::atomic<int>> cancels = std::make_shared<std::atomic<int>>(0);
};
using BackendPtr = std::shared_ptr<BackendConnection>;

// Whether nothing has come since the last answer and the other end still exists.
[[nodiscard]] bool is_quiet(BackendConnection& connection);

// Runs DISCARD ALL and reads its answer to the end. False: the connection is no longer usable.
[[nodiscard]] Task<bool> clean(BackendPtr connection, std::chrono::milliseconds timeout);

}  // namespace pgveil::net
