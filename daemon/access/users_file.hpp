#pragma once
// The file with the clients' credentials, in the syntax of PgBouncer's userlist.txt: one `"user"
// "SCRAM-SHA-256$…"` per line, "" for a quote inside quotes, comments from ; or #. Only SCRAM verifiers are
// allowed, so nobody who reads the file can log in with them. "certificate" in place of a verifier means that
// no password fits. Every error names file, line and column and the fix, and never quotes a password.
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "proxy/session/scram.hpp"

namespace pgveil::app {

using Users = std::map<std::string, session::ScramVerifier, std::less<>>;

inline constexpr std::string_view kByCertificate = "certificate";  // in place of a verifier
inline constexpr std::size_t kMaxUsersBytes = 16 << 20;            // 100,000 users

// One line that names a user.
struct UserLine {
  std::string name;
  std::string credential;  // a verifier, or kByCertificate
  session::ScramVerifier verifier;
  // Where the line is in the text, with its line end.
  std::size_t begin = 0;
  std::size_t end = 0;
};

// In the order of the file. file_name is only used in error texts.
[[nodiscard]] Result<std::vector<UserLine>> parse_user_lines(std::string_view text,
                                                             const std::string& file_name);
[[nodiscard]] Result<Users> parse_users(std::string_view text, const std::string& file_name);

// Errors: the name is empty, longer than 63 bytes or has a control character.
[[nodiscard]] Result<void> check_user_name(std::string_view name);

// Errors in addition to those of parse_users: the file is not trusted and secret
// (common/files/trusted_file.hpp) or over 16 MiB.
[[nodiscard]] Result<Users> read_users_file(const std::string& path);

}  // namespace pgveil::app
