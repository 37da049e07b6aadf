#pragma once
// Who is signed in to the page. A session is known by a random token that only its browser has; here is the token's hash. It ends
// when it rested for kIdle, when it is kLongest old, and when the role's verifier is another one. In memory only. Thread-safe.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/session/scram.hpp"

namespace pgveil::cli {

using WebTime = std::chrono::steady_clock::time_point;

struct WebSession {
  std::uint64_t number = 0;  // in the audit log
  std::string role;
  std::string csrf;      // what each request that changes something must bring
  std::string verifier;  // that the password was checked against
};

class WebSessions {
 public:
  static constexpr std::chrono::minutes kIdle{15};
  static constexpr std::chrono::hours kLongest{8};
  static constexpr std::size_t kMost = 100;
  // Above all numbers of sessions over PostgreSQL's protocol.
  static constexpr std::uint64_t kFirstNumber = std::uint64_t{1} << 40;

  [[nodiscard]] std::uint64_t next_number();
  // → the token. token and csrf are random and new. With kMost sessions the one that rested longest ends.
  void begin(const std::string& token, WebSession session, WebTime now);
  enum class Touch { rests, goes_on };
  // nullopt: none, or it has ended.
  [[nodiscard]] std::optional<WebSession> find(std::string_view token, WebTime now, Touch touch);
  void end(std::string_view token);
  // The password was given again in this session: that counts once, for kProved at most.
  static constexpr std::chrono::minutes kProved{5};
  void prove(std::string_view token, WebTime now);
  // Was it? Used up then.
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

// How often one may try to sign in: per role and in all, within kWindow. Right passwords count too. Thread-safe.
class SignInLimit {
 public:
  static constexpr std::chrono::seconds kWindow{60};
  static constexpr std::size_t kPerRole = 8;
  static constexpr std::size_t kInAll = 40;

  // True: it may be tried, and is counted.
  [[nodiscard]] bool may_try(std::string_view role, WebTime now);
  // The try of then was right, and by somebody who was in already: it is as if it had not been.
  void take_back(std::string_view role, WebTime then);

 private:
  std::mutex mutex_;
  std::multimap<WebTime, std::string> tries_;  // at most kInAll
};

}  // namespace pgveil::cli
