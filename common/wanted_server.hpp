#pragma once
// Which of several servers a connection may use, like libpq's target_session_attrs, and in which order they
// are tried. A primary accepts writes; a standby is in recovery. Pure.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pgveil {

// Where a PostgreSQL server listens.
struct HostPort {
  std::string host;  // a name, an address without brackets, or the folder of a Unix socket (begins with /)
  std::uint16_t port = 5432;
  bool operator==(const HostPort&) const = default;
};
// "db1:5432", "[::1]:5432", "/run/postgresql:5432".
[[nodiscard]] std::string text_of(const HostPort& place);
// The same for several: "db1:5432, db2:5432".
[[nodiscard]] std::string text_of(const std::vector<HostPort>& places);

enum class ServerKind { primary, standby };
enum class WantedServer { any, primary, standby, prefer_primary, prefer_standby };

// One attempt to connect: at which server, and of which kind it has to be. nullopt: of any.
struct ServerAttempt {
  std::size_t host = 0;
  std::optional<ServerKind> kind;
  bool operator==(const ServerAttempt&) const = default;
};

// order: numbers of servers. With prefer_… all are tried for the preferred kind first, and then for any.
[[nodiscard]] std::vector<ServerAttempt> attempts_for(WantedServer wanted,
                                                      const std::vector<std::size_t>& order);

}  // namespace pgveil
