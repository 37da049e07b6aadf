#pragma once
// What answers where a PostgreSQL server is expected: forks that call themselves PostgreSQL, and poolers.
// Pure; the connection asks (db/server/connection.cpp).
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::db {

// A start-up packet sets this to a text of its own, which only the server that got that packet knows. A
// pooler lends connections that it opened with packets of its own.
inline constexpr std::string_view kEchoSetting = "pgveil.echo";

struct ServerGreeting {
  std::string version;  // of version()
  std::string echo;     // the value of kEchoSetting; empty: it has none
};

// Errors: ErrorKind::server: version() is not that of PostgreSQL itself.
[[nodiscard]] Result<void> refuse_forks(std::string_view version);
// Errors as above; or the echo is not `sent`, so a pooler answered.
[[nodiscard]] Result<void> judge_greeting(const ServerGreeting& greeting, std::string_view sent);

// Whether a failed login is a pooler's, which does not know the settings of our start-up packet.
[[nodiscard]] bool is_of_a_pooler(std::string_view failure);
// Whether a failed login complains of a setting, as forks do that lack one of PostgreSQL's.
[[nodiscard]] bool is_about_a_setting(std::string_view failure);
[[nodiscard]] Error pooler_error();

}  // namespace pgveil::db
