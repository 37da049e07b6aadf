#pragma once
// A connection to PostgreSQL on its way from one holder to the next: a session's driver, the pool, or the
// task that cleans it. One holder at a time; its socket belongs to one network thread, and is moved when
// another takes it.
#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>

#include "console/session_info.hpp"
#include "proxy/net/peer_connection.hpp"
#include "proxy/session/session.hpp"

namespace pgveil::net {

// A place among the connections of a pool, taken before connecting. Given back when it goes.
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

  std::unique_ptr<PoolSlot> slot;  // goes last
  PeerConnection link;
  session::Lender lender;
  std::shared_ptr<session::BackendState> state;  // while no session holds it
  std::uint64_t id = 0;
  std::uint64_t generation = 0;  // of RECONNECT
  std::chrono::steady_clock::time_point opened_at, idle_since;
  std::time_t connected_at = 0;
  console::Address server, local;  // its other end and ours
  std::string tls;                 // described; empty: none
  bool is_leaving = false;         // its driver has given it back, and its read loop has not ended yet
  bool must_be_cleaned = false;    // before anybody else gets it
  // A cancel request for it that may still arrive: it must not meet another client's statement.
  std::shared_ptr<std::atomic<int>> cancels = std::make_shared<std::atomic<int>>(0);
};
using BackendPtr = std::shared_ptr<BackendConnection>;

// Nothing has come since the last answer, and the other end is there.
[[nodiscard]] bool is_quiet(BackendConnection& connection);

// Runs DISCARD ALL and reads its answer to the end. False: it is of no use any more.
[[nodiscard]] Task<bool> clean(BackendPtr connection, std::chrono::milliseconds timeout);

}  // namespace pgveil::net
