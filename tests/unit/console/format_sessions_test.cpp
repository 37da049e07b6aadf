#include "console/format_sessions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

namespace pgveil::console {
namespace {

SessionInfo session(std::uint64_t id, std::string role, SessionState state) {
  SessionInfo info;
  info.id = id;
  info.role = std::move(role);
  info.database = info.role.empty() ? "" : "demo";
  info.state = state;
  info.client = {"192.0.2.1", 50'000};
  info.connected_at = 1'700'000'000;
  if (state != SessionState::login)
    info.server = std::make_shared<const ServerConnection>(ServerConnection{id, {}, {}, "", 0});
  return info;
}

std::map<std::string, std::string> row_of(const Table& table, std::size_t index) {
  REQUIRE(table.rows.size() > index);
  REQUIRE(table.rows[index].size() == table.columns.size());
  std::map<std::string, std::string> out;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out.emplace(table.columns[i], table.rows[index][i].value_or("NULL"));
  return out;
}

}  // namespace

TEST_CASE("a client is one row, with its server where it has one") {
  auto waiting = session(2, "ann", SessionState::waiting);
  waiting.waited_us = 3'000'007;
  const std::vector<SessionInfo> sessions{session(1, "", SessionState::login), waiting,
                                          session(3, "ann", SessionState::in_transaction)};
  const Table clients = clients_table(sessions);
  CHECK(row_of(clients, 0)["state"] == "login");
  CHECK(row_of(clients, 0)["link"] == "NULL");
  CHECK(row_of(clients, 0)["connect_time"] == "2023-11-14 22:13:20 UTC");
  CHECK(row_of(clients, 0)["request_time"] == "NULL");
  CHECK(row_of(clients, 1)["wait"] == "3");
  CHECK(row_of(clients, 1)["wait_us"] == "7");
  CHECK(row_of(clients, 2)["state"] == "active");
  CHECK(row_of(clients, 2)["link"] == "S3");
  IdleServer idle;
  idle.connection = std::make_shared<const ServerConnection>(ServerConnection{77, {}, {}, "", 0});
  idle.database = "demo";
  idle.pid = 4711;
  const Table servers = servers_table(sessions, {&idle, 1}, "pgveil_query");
  CHECK(servers.rows.size() == 3);
  CHECK(row_of(servers, 2)["state"] == "idle");
  CHECK(row_of(servers, 2)["ptr"] == "S77");
  CHECK(row_of(servers, 2)["link"] == "NULL");
  CHECK(row_of(servers, 2)["remote_pid"] == "4711");
  CHECK(row_of(servers, 1)["user"] == "pgveil_query");
  CHECK(row_of(servers, 1)["link"] == "C3");
  CHECK(row_of(servers, 1)["ptr"] == "S3");
}

TEST_CASE("a pool is the clients of one role in one database") {
  auto first = session(2, "ann", SessionState::waiting);
  first.waited_us = 5;
  auto second = session(3, "ann", SessionState::waiting);
  second.waited_us = 2'000'001;
  const std::vector<SessionInfo> sessions{session(1, "", SessionState::login), first, second,
                                          session(4, "ann", SessionState::idle),
                                          session(5, "bob", SessionState::active)};
  PoolInfo info;
  info.database = "demo";
  info.role = "ann";
  info.open = 7;
  info.idle = 3;
  info.cleaning = 1;
  PoolInfo forsaken = info;  // connections, and no client
  forsaken.role = "carl";
  const std::vector<PoolInfo> infos{info, forsaken};
  const Table pools = pools_table(sessions, infos, [](const std::string& role, const std::string& database) {
    return database + " of " + role;
  });
  REQUIRE(pools.rows.size() == 3);
  auto ann = row_of(pools, 0);
  CHECK(ann["user"] == "ann");
  CHECK(ann["cl_active"] == "1");
  CHECK(ann["cl_waiting"] == "2");
  CHECK(ann["sv_active"] == "1");
  CHECK(ann["sv_idle"] == "3");
  CHECK(ann["sv_tested"] == "1");
  CHECK(ann["sv_login"] == "2");
  CHECK(ann["pool_mode"] == "demo of ann");
  CHECK(ann["maxwait"] == "2");
  CHECK(ann["maxwait_us"] == "1");
  CHECK(row_of(pools, 1)["cl_active"] == "1");
  CHECK(row_of(pools, 2)["cl_active"] == "0");
  CHECK(row_of(pools, 2)["sv_idle"] == "3");
}

TEST_CASE("averages are of the last period: counts by second, times by what took them") {
  DatabaseTraffic traffic{"demo", {}, {}};
  traffic.total.queries = 1'000;
  traffic.period = {.transactions = 60,
                    .queries = 120,
                    .assignments = 0,
                    .received_bytes = 6'000,
                    .sent_bytes = 59,
                    .transaction_us = 600,
                    .query_us = 1'200,
                    .wait_us = 9};
  const Table stats = stats_table({&traffic, 1});
  auto row = row_of(stats, 0);
  CHECK(row["total_query_count"] == "1000");
  CHECK(row["avg_query_count"] == "2");
  CHECK(row["avg_xact_count"] == "1");
  CHECK(row["avg_recv"] == "100");
  CHECK(row["avg_sent"] == "0");
  CHECK(row["avg_query_time"] == "10");
  CHECK(row["avg_xact_time"] == "10");
  CHECK(row["avg_wait_time"] == "0");  // nobody waited: not a division by nothing
  CHECK(row_of(stats_totals_table({&traffic, 1}), 0)["query_count"] == "1000");
}

}  // namespace pgveil::console
