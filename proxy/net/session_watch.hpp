#pragma once
// What a session's driver tells others about the session: what SHOW CLIENTS shows, and the session's share of
// the statistics. Written on the session's own context; info() may be called from any thread.
#include <atomic>
#include <chrono>
#include <mutex>

#include "console/session_info.hpp"
#include "proxy/net/asio_types.hpp"
#include "proxy/net/backend_connection.hpp"
#include "proxy/net/statistics.hpp"
#include "proxy/session/session.hpp"

namespace pgveil::net {

[[nodiscard]] console::Address local_address(const Socket& socket);
[[nodiscard]] console::Address remote_address(const Socket& socket);
// As in address.hpp. All clients of Unix sockets are in one neighbourhood.
[[nodiscard]] std::string neighbourhood_of(const Socket& socket);

class SessionWatch {
 public:
  SessionWatch(Statistics& statistics, std::uint64_t id, const Socket& client);

  // Call this after each step of the session.
  void note(const session::Session& session);
  void note_client_tls(std::string description);
  void note_backend(const BackendConnection& connection);
  void note_backend_gone();
  void note_ending();
  void note_name(std::string application_name);
  void add_received(std::size_t size_bytes);
  void add_sent(std::size_t size_bytes);
  void set_pending(std::size_t size_bytes);

  [[nodiscard]] session::Activity activity() const { return facts_.activity; }
  [[nodiscard]] console::SessionInfo info() const;
  // May be called from any thread: what the session does, and since when.
  [[nodiscard]] session::Activity last_activity() const {
    return last_activity_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::chrono::steady_clock::duration in_activity() const;
  [[nodiscard]] bool has_backend() const { return has_backend_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  void note_login(const session::Session& session);
  void note_requests(const session::Facts& next, Clock::time_point now);
  void note_masked(std::uint64_t took_us);

  Statistics& statistics_;
  Counters* counters_ = nullptr;  // null before the login
  session::Facts facts_;
  Clock::time_point wait_begin_, request_begin_, transaction_begin_;
  mutable std::mutex mutex_;  // guards the members below
  console::SessionInfo info_;
  Clock::time_point waiting_since_;
  std::atomic<std::size_t> pending_bytes_{0};
  std::atomic<session::Activity> last_activity_{session::Activity::login};
  std::atomic<Clock::rep> activity_begin_{Clock::now().time_since_epoch().count()};
  std::atomic<bool> has_backend_{false};
};

}  // namespace pgveil::net
