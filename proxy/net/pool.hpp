#pragma once
// The connections to PostgreSQL of all sessions: how many each database and role may have, which are idle,
// and who waits for one. Sessions share connections only if they have the same role and database and asked
// for the same settings at their start. Thread-safe; nothing in it blocks except wait_for_pause.
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
  std::size_t size = 20;         // connections per role and database; not a limit in mode none
  std::size_t reserve_size = 0;  // additional ones when somebody has waited for reserve_after
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

  // What a session gets: a connection that is logged in, or a place for opening one.
  using Grant = std::variant<std::monostate, BackendPtr, std::unique_ptr<PoolSlot>>;
  // A session in the queue. `wake` is called once, on any thread, when there is a grant.
  struct Waiter {
    session::Lender lender;
    bool must_be_new = false;
    Executor executor;  // connections that already belong to it are preferred
    std::function<void()> wake;
    std::chrono::steady_clock::time_point since;
    Grant grant;
  };
  using WaiterPtr = std::shared_ptr<Waiter>;

  // Enters the queue. If the grant is there at once, `wake` is not called.
  [[nodiscard]] WaiterPtr ask(session::Lender lender, bool must_be_new, const Executor& executor,
                              std::function<void()> wake);
  // monostate: there is no grant yet.
  [[nodiscard]] Grant take_grant(const WaiterPtr& waiter);
  // Leaves the queue. What was already granted goes to others.
  void abandon(const WaiterPtr& waiter);

  // REQUIRES: the connection owes no answer, is in no transaction, and has been cleaned if that was needed.
  void give_back(BackendPtr connection);
  // The beginning and the end of cleaning a connection.
  enum class Cleaning { begins, ends };
  void note(const BackendConnection& connection, Cleaning cleaning);

  [[nodiscard]] PoolSettings settings(const session::Lender& lender) const {
    return rules_(lender.role, lender.database);
  }
  // The mode as the console writes it.
  [[nodiscard]] std::string mode_of(const std::string& role, const std::string& database) const;
  [[nodiscard]] std::uint64_t next_id() { return ++last_id_; }
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  // ---- for operators; database: empty means all
  // From now on nobody gets a connection, and idle ones are closed.
  void pause(const std::string& database);
  // Waits until no session holds a connection there. False: it was resumed, or pgveil ends.
  [[nodiscard]] bool wait_for_pause(const std::string& database);
  // False: the database was not paused.
  [[nodiscard]] bool resume(const std::string& database);
  // Closes all connections: idle ones now, others when they are given back.
  void reconnect(const std::string& database);
  [[nodiscard]] std::vector<console::PoolInfo> pools() const;
  [[nodiscard]] std::vector<console::IdleServer> idle_servers() const;
  [[nodiscard]] bool is_paused(const std::string& database) const;

  // Closes connections that were idle or open for too long or that the server closed, and opens the reserve
  // to waiting sessions. Must be called several times a second.
  void sweep();
  // Closes all idle connections and ends all waits for a pause. Call it before the network threads' contexts
  // are destroyed.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  using Name = std::pair<std::string, std::string>;  // database, role
  struct Pool {
    PoolSettings settings;
    std::size_t open = 0;  // number of taken slots
    std::size_t cleaning = 0;
    std::deque<BackendPtr> idle;  // the last one was used most recently
    std::deque<WaiterPtr> waiting;
  };
  // Work for after the mutex is released, because closing takes time and waking calls foreign code.
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
  // Serves the queue from its front as long as there is something to grant.
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
  std::map<std::string, std::uint64_t> reconnected_;  // by database: older generations are closed
};

}  // namespace pgveil::net
