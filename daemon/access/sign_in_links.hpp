#pragma once
// One-time links that sign somebody in to the page without a password (docs/web.md, "Sign-in links"). A role
// that is already logged in to the console asks for one, and the link signs in as that role. A link works
// once and for kLife. Only its hash is kept, and only in memory. Thread-safe.
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::app {

class SignInLinks {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kLife{10};
  static constexpr std::size_t kTokenBytes = 32;

  // From now on links can be made. page_address: as browsers reach the page, with a slash at the end.
  void open(std::string page_address);
  // From now on none can be made, and none works.
  void close();

  // The link. It replaces the role's earlier one. verifier: of the role's password now. token: kTokenBytes
  // random bytes as hexadecimal digits. Errors: 55000, there is no page.
  [[nodiscard]] Result<std::string> make(const std::string& role, std::string verifier,
                                         std::string_view token, Time now);

  struct Holder {
    std::string role, verifier;
  };
  // Whose link it is. The link does not work again. nullopt: it is no link, or it is too old, was replaced or
  // has been used.
  [[nodiscard]] std::optional<Holder> take(std::string_view token, Time now);

 private:
  struct Link {
    Holder holder;
    Time made;
  };
  mutable std::mutex mutex_;
  std::string page_address_;                        // empty: closed
  std::map<std::string, Link, std::less<>> links_;  // by the token's hash; at most one for each role
};

}  // namespace pgveil::app
