#pragma once
// PgBouncer's SHOW tables, with its column names. Pure.
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <vector>

#include "proxy/admin/console.hpp"
#include "proxy/admin/session_info.hpp"

namespace pgveil::admin {

[[nodiscard]] Table clients_table(std::span<const SessionInfo> sessions);
// One row per session that has a backend. user: the role that pgveil logs in as.
[[nodiscard]] Table servers_table(std::span<const SessionInfo> sessions, const std::string& query_role);
// One row per database and user.
[[nodiscard]] Table pools_table(std::span<const SessionInfo> sessions);
[[nodiscard]] Table stats_table(std::span<const DatabaseTraffic> traffic);
[[nodiscard]] Table stats_totals_table(std::span<const DatabaseTraffic> traffic);

// "2026-11-21 20:30:00 UTC"; nullopt for 0.
[[nodiscard]] std::optional<std::string> time_text(std::time_t seconds);

}  // namespace pgveil::admin
