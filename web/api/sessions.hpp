#pragma once
// The sessions of people who are signed in to the page. Only the browser has the random token of a session;
// this keeps the token's hash. A session ends after kIdle without a request, at the age of kLongest, and when
// its role may no longer use the page (WebApi::session_of). Sessions are kept in memory only. Thread-safe.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/session/gate.hpp"

namespace pgveil::app {

using WebTime = std::chrono::steady_clock::time_point;

struct WebSession {
  std::uint64_t number = 0;  // in the audit log
  std::string role;
  std::string csrf;                   // each request that changes something must carry it
  std::string verifier;               // the password was checked against it
  session::ClientOrigin origin = {};  // of who signed in
};

class WebSessions {
 public:
  static constexpr std::chrono::minutes kIdle{15};
  static constexpr std::chrono::hours kLongest{8};
  static constexpr std::size_t kMost = 100;
  // Above all numbers of sessions over PostgreSQL's protocol.
  static constexpr std::uint64_t kFirstNumber = std::uint64_t{1} << 40;

  [[nodiscard]] std::uint64_t next_number();
  // Begins a session. token and csrf must be random and new. If there are already kMost sessions, the one
  // that was idle longest ends.
  void begin(const std::string& token, WebSession session, WebTime now);
  enum class Touch { rests, goes_on };
  // nullopt: none, or it has ended.
  [[nodiscard]] std::optional<WebSession> find(std::string_view token, WebTime now, Touch touch);
  void end(std::string_view token);
  // The password was given again in this session. That counts for one request, within kProved.
  static constexpr std::chrono::minutes kProved{5};
  void prove(std::string_view token, WebTime now);
  // Whether the password was given again. True at most once for each time.
  [[nodiscard]] bool take_proof(std::string_view token, WebTime now);

 private:
  struct Entry {
    WebSession session;
    WebTime begun, touched;
    std::optional<WebTime> proved = std::nullopt;
  };
  void forget_ended(WebTime now);

  std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;  // by the token's hash
  std::uint64_t last_number_ = kFirstNumber;
};

// Limits how often somebody may try to sign in, per role and in all, within kWindow. Tries with the right
// password count too. Thread-safe.
class SignInLimit {
 public:
  static constexpr std::chrono::seconds kWindow{60};
  static constexpr std::size_t kPerRole = 8;
  static constexpr std::size_t kInAll = 40;

  // True: the try is allowed, and is counted.
  [[nodiscard]] bool may_try(std::string_view role, WebTime now);
  // Uncounts the try made at that time: the password was right, and the person was signed in already.
  void take_back(std::string_view role, WebTime then);

 private:
  std::mutex mutex_;
  std::multimap<WebTime, std::string> tries_;  // at most kInAll
};

}  // namespace pgveil::app
