#pragma once
// The connections to PostgreSQL of all sessions: how many each database and role may have, which are idle,
// and who waits for one. Only sessions of one role of one database that asked for the same settings at their
// start share connections. Thread-safe; nothing in it blocks but wait_for_pause.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "console/pool_info.hpp"
#include "proxy/net/backend_connection.hpp"

namespace pgveil::net {

struct PoolSettings {
  session::PoolMode mode = session::PoolMode::none;
  std::size_t size = 20;         // connections for one role of one database; mode none: no limit
  std::size_t reserve_size = 0;  // more of them when somebody has waited for reserve_after
  std::chrono::milliseconds reserve_after{5'000};
  std::chrono::milliseconds wait_timeout{120'000};
  std::chrono::milliseconds server_lifetime{3'600'000};
  std::chrono::milliseconds server_idle_timeout{600'000};
};
using PoolRules = std::function<PoolSettings(const std::string& role, const std::string& database)>;

class Pools {
 public:
  explicit Pools(PoolRules rules) : rules_(std::move(rules)) {}
  Pools(const Pools&) = delete;
  Pools& operator=(const Pools&) = delete;

  // What a session gets: a connection that is logged in, or a place to open one.
  using Grant = std::variant<std::monostate, BackendPtr, std::unique_ptr<PoolSlot>>;
  // In a queue. `wake` is called once, on any thread, when there is a grant.
  struct Waiter {
    session::Lender lender;
    bool must_be_new = false;
    Executor executor;  // connections that are there already are preferred
    std::function<void()> wake;
    std::chrono::steady_clock::time_point since;
    Grant grant;
  };
  using WaiterPtr = std::shared_ptr<Waiter>;

  // Gets in line. The grant may be there at once: then `wake` is not called.
  [[nodiscard]] WaiterPtr ask(session::Lender lender, bool must_be_new, const Executor& executor,
                              std::function<void()> wake);
  // monostate: nothing yet.
  [[nodiscard]] Grant take_grant(const WaiterPtr& waiter);
  // Leaves the line; what was granted goes to others.
  void abandon(const WaiterPtr& waiter);

  // A connection that owes nothing, is in no transaction and has been cleaned if that was needed.
  void give_back(BackendPtr connection);
  // It is being cleaned.
  enum class Cleaning { begins, ends };
  void note(const BackendConnection& connection, Cleaning cleaning);

  [[nodiscard]] PoolSettings settings(const session::Lender& lender) const {
    return rules_(lender.role, lender.database);
  }
  // As the console writes it.
  [[nodiscard]] std::string mode_of(const std::string& role, const std::string& database) const;
  [[nodiscard]] std::uint64_t next_id() { return ++last_id_; }
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  // ---- for operators; database: empty means all
  // Nobody gets a connection any more; idle ones are closed.
  void pause(const std::string& database);
  // Until no session holds a connection there. False: it was resumed, or pgveil ends.
  [[nodiscard]] bool wait_for_pause(const std::string& database);
  // False: it was not paused.
  [[nodiscard]] bool resume(const std::string& database);
  // All connections are closed: idle ones now, others when they are given back.
  void reconnect(const std::string& database);
  [[nodiscard]] std::vector<console::PoolInfo> pools() const;
  [[nodiscard]] std::vector<console::IdleServer> idle_servers() const;
  [[nodiscard]] bool is_paused(const std::string& database) const;

  // Closes what has been idle or open for too long or was closed by the server, and opens the reserve to
  // those who wait. To be called several times a second.
  void sweep();
  // Closes all idle connections and lets nobody wait for a pause. Before the network threads' contexts go.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  using Name = std::pair<std::string, std::string>;  // database, role
  struct Pool {
    PoolSettings settings;
    std::size_t open = 0;  // slots that are taken
    std::size_t cleaning = 0;
    std::deque<BackendPtr> idle;  // last used last
    std::deque<WaiterPtr> waiting;
  };
  // What is done once the mutex is released: closing takes time, and waking calls out.
  struct Afterwards {
    std::vector<BackendPtr> closing;
    std::vector<std::function<void()>> waking;
  };

  [[nodiscard]] Pool& pool_of(const Name& name);
  [[nodiscard]] static std::size_t limit(const Pool& pool, Clock::time_point now);
  [[nodiscard]] bool paused(const std::string& database) const;
  [[nodiscard]] bool is_worn(const BackendConnection& connection, const Pool& pool,
                             Clock::time_point now) const;
  [[nodiscard]] std::unique_ptr<PoolSlot> take_slot(const Name& name, Pool& pool);
  void release_slot(const Name& name);
  void put_idle(BackendPtr connection, Pool& pool, Afterwards& afterwards);
  [[nodiscard]] BackendPtr take_idle(Pool& pool, const Waiter& waiter, Afterwards& afterwards);
  // Gives the first in line what there is, and so on until there is nothing.
  void serve(const Name& name, Pool& pool, Afterwards& afterwards);
  [[nodiscard]] Grant grant_for(const Name& name, Pool& pool, const Waiter& waiter, Afterwards& afterwards);
  static void finish(Afterwards afterwards);

  const PoolRules rules_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Name, Pool> pools_;
  std::set<std::string> paused_;  // databases; "" is all
  bool is_closed_ = false;
  std::atomic<std::uint64_t> last_id_{0};
  std::atomic<std::uint64_t> generation_{0};
  std::map<std::string, std::uint64_t> reconnected_;  // by database: connections of an earlier generation go
};

}  // namespace pgveil::net
