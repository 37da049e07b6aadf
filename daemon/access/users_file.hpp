#pragma once
// The file with the clients' credentials, in the syntax of PgBouncer's userlist.txt: one
// `"user" "SCRAM-SHA-256$…"` a line, "" for a quote inside quotes, comments from ; or #. Only SCRAM
// verifiers: whoever reads the file can't log in with them; "certificate" instead of one: no password fits.
// Every error names file, line and column and the fix, and never quotes a password.
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "proxy/session/scram.hpp"

namespace pgveil::app {

using Users = std::map<std::string, session::ScramVerifier, std::less<>>;

// file_name is only used in error texts.
[[nodiscard]] Result<Users> parse_users(std::string_view text, const std::string& file_name);

// Errors beside those of parse_users: no trusted secret file (common/files/trusted_file.hpp), over 16 MiB.
[[nodiscard]] Result<Users> read_users_file(const std::string& path);

}  // namespace pgveil::app
