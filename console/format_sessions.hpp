#pragma once
// PgBouncer's SHOW tables, with its column names. Pure.
#include <cstdint>
#include <ctime>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "console/console.hpp"
#include "console/pool_info.hpp"
#include "console/session_info.hpp"

namespace pgveil::console {

[[nodiscard]] Table clients_table(std::span<const SessionInfo> sessions);
// One row per connection, whether a session holds it or it is idle. user: the role that pgveil logs in as.
[[nodiscard]] Table servers_table(std::span<const SessionInfo> sessions, std::span<const IdleServer> idle,
                                  const std::string& query_role);
// One row per database and user with a client or a connection. mode_of: called with role and database.
using ModeOf = std::function<std::string(const std::string&, const std::string&)>;
[[nodiscard]] Table pools_table(std::span<const SessionInfo> sessions, std::span<const PoolInfo> pools,
                                const ModeOf& mode_of);
[[nodiscard]] Table stats_table(std::span<const DatabaseTraffic> traffic);
[[nodiscard]] Table stats_totals_table(std::span<const DatabaseTraffic> traffic);

// "2026-11-21 20:30:00 UTC"; nullopt for 0.
[[nodiscard]] std::optional<std::string> time_text(std::time_t seconds);

}  // namespace pgveil::console
