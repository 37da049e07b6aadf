#include "console/format_sessions.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace pgveil::console {
namespace {

using Cell = std::optional<std::string>;
using Row = std::vector<Cell>;

std::string state_text(SessionState state) {
  switch (state) {
    case SessionState::login: return "login";
    case SessionState::waiting: return "waiting";
    case SessionState::idle:
    case SessionState::in_transaction:
    case SessionState::active: return "active";
  }
  return "";
}

std::string server_state(SessionState state) {
  switch (state) {
    case SessionState::login:
    case SessionState::waiting: return "login";
    case SessionState::idle: return "idle";
    case SessionState::in_transaction:
    case SessionState::active: return "active";
  }
  return "";
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

Cell whole_seconds(std::int64_t microseconds) {
  return std::to_string(microseconds / 1'000'000);
}
Cell rest_of_second(std::int64_t microseconds) {
  return std::to_string(microseconds % 1'000'000);
}

Row client_row(const SessionInfo& it) {
  const std::int64_t wait = it.state == SessionState::waiting ? it.waited_us : 0;
  return {"C",
          it.role,
          it.database,
          "none",
          state_text(it.state),
          it.client.host,
          number(it.client.port),
          it.local.host,
          number(it.local.port),
          time_text(it.connected_at),
          time_text(it.requested_at),
          whole_seconds(wait),
          rest_of_second(wait),
          it.is_ending ? "1" : "0",
          fmt::format("C{}", it.id),
          it.server ? Cell(fmt::format("S{}", it.server->id)) : std::nullopt,
          "0",
          it.tls,
          it.application_name,
          number(it.prepared_statements),
          number(it.id)};
}

// REQUIRES: it has a server.
Row server_row(const SessionInfo& it, const std::string& query_role) {
  return {"S",
          query_role,
          it.database,
          "none",
          server_state(it.state),
          it.server->server.host,
          number(it.server->server.port),
          it.server->local.host,
          number(it.server->local.port),
          time_text(it.server->connected_at),
          time_text(it.requested_at),
          "0",
          "0",
          it.is_ending ? "1" : "0",
          fmt::format("S{}", it.server->id),
          fmt::format("C{}", it.id),
          number(it.backend_pid),
          it.server->tls,
          it.application_name,
          number(it.prepared_statements),
          number(it.server->id)};
}

Row idle_row(const IdleServer& it, const std::string& query_role) {
  return {"S",
          query_role,
          it.database,
          "none",
          "idle",
          it.connection->server.host,
          number(it.connection->server.port),
          it.connection->local.host,
          number(it.connection->local.port),
          time_text(it.connection->connected_at),
          std::nullopt,
          "0",
          "0",
          "0",
          fmt::format("S{}", it.connection->id),
          std::nullopt,
          number(it.pid),
          it.connection->tls,
          std::nullopt,
          number(it.prepared_statements),
          number(it.connection->id)};
}

struct Pool {
  std::uint64_t active = 0, waiting = 0;
  std::uint64_t server_active = 0, server_idle = 0, server_cleaning = 0, server_open = 0;
  std::int64_t longest_wait_us = 0;
};

// Open connections that are neither used nor idle are on their way: connecting, logging in, getting their
// settings.
Row pool_row(const std::pair<std::string, std::string>& name, const Pool& pool, const std::string& mode) {
  const std::uint64_t known = pool.server_active + pool.server_idle + pool.server_cleaning;
  return {name.first,
          name.second,
          number(pool.active),
          number(pool.waiting),
          "0",
          "0",
          number(pool.server_active),
          "0",
          "0",
          number(pool.server_idle),
          "0",
          number(pool.server_cleaning),
          number(pool.server_open > known ? pool.server_open - known : 0),
          whole_seconds(pool.longest_wait_us),
          rest_of_second(pool.longest_wait_us),
          mode,
          std::nullopt};
}

void append_totals(Row& row, const Traffic& traffic) {
  for (const std::uint64_t value :
       {traffic.assignments, traffic.transactions, traffic.queries, traffic.received_bytes,
        traffic.sent_bytes, traffic.transaction_us, traffic.query_us, traffic.wait_us}) {
    row.emplace_back(number(value));
  }
}

// Counts and bytes per second, and times per transaction, query and assignment, as in PgBouncer.
void append_averages(Row& row, const Traffic& period) {
  const auto each = [](std::uint64_t sum, std::uint64_t count) {
    return number(count == 0 ? 0 : sum / count);
  };
  for (const std::uint64_t count :
       {period.assignments, period.transactions, period.queries, period.received_bytes, period.sent_bytes}) {
    row.emplace_back(number(count / kTrafficPeriodSeconds));
  }
  row.emplace_back(each(period.transaction_us, period.transactions));
  row.emplace_back(each(period.query_us, period.queries));
  row.emplace_back(each(period.wait_us, period.assignments));
}

}  // namespace

std::optional<std::string> time_text(std::time_t seconds) {
  if (seconds == 0) return std::nullopt;
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));
}

Table clients_table(std::span<const SessionInfo> sessions) {
  Table table{columns_of(ShowClients{}), {}, "SHOW", {}};
  for (const auto& session : sessions) table.rows.push_back(client_row(session));
  return table;
}

Table servers_table(std::span<const SessionInfo> sessions, std::span<const IdleServer> idle,
                    const std::string& query_role) {
  Table table{columns_of(ShowServers{}), {}, "SHOW", {}};
  for (const auto& session : sessions) {
    if (session.server) table.rows.push_back(server_row(session, query_role));
  }
  for (const auto& server : idle) table.rows.push_back(idle_row(server, query_role));
  return table;
}

Table pools_table(std::span<const SessionInfo> sessions, std::span<const PoolInfo> infos,
                  const ModeOf& mode_of) {
  std::map<std::pair<std::string, std::string>, Pool> pools;
  for (const auto& session : sessions) {
    if (session.state == SessionState::login) continue;  // it has no database yet
    Pool& pool = pools[{session.database, session.role}];
    if (session.state == SessionState::waiting) {
      ++pool.waiting;
      pool.longest_wait_us = std::max(pool.longest_wait_us, session.waited_us);
    } else {
      ++pool.active;
      if (session.server) ++pool.server_active;
    }
  }
  for (const auto& info : infos) {
    Pool& pool = pools[{info.database, info.role}];
    pool.server_open = info.open;
    pool.server_idle = info.idle;
    pool.server_cleaning = info.cleaning;
  }
  Table table{columns_of(ShowPools{}), {}, "SHOW", {}};
  for (const auto& [name, pool] : pools)
    table.rows.push_back(pool_row(name, pool, mode_of(name.second, name.first)));
  return table;
}

Table stats_table(std::span<const DatabaseTraffic> traffic) {
  Table table{columns_of(ShowStats{}), {}, "SHOW", {}};
  for (const auto& each : traffic) {
    Row row{each.database};
    append_totals(row, each.total);
    append_averages(row, each.period);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table stats_totals_table(std::span<const DatabaseTraffic> traffic) {
  Table table{columns_of(ShowStatsTotals{}), {}, "SHOW", {}};
  for (const auto& each : traffic) {
    Row row{each.database};
    append_totals(row, each.total);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace pgveil::console
