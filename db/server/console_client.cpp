#include "db/server/console_client.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/sqlstate.hpp"

namespace pgveil::db {
namespace {

std::string line_of(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string field_of(const PGresult* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? "" : text;
}

TextTable table_of(const PGresult* result) {
  TextTable table;
  const int width = PQnfields(result);
  for (int column = 0; column < width; ++column) table.columns.emplace_back(PQfname(result, column));
  for (int row = 0; row < PQntuples(result); ++row) {
    auto& cells = table.rows.emplace_back();
    for (int column = 0; column < width; ++column) {
      cells.emplace_back(std::nullopt);
      if (PQgetisnull(result, row, column) == 0) cells.back() = PQgetvalue(result, row, column);
    }
  }
  return table;
}

}  // namespace

ConsoleClient::ConsoleClient(pg_conn* connection) : connection_(connection, &PQfinish) {}

Result<std::unique_ptr<ConsoleClient>> ConsoleClient::open(const ConsolePlace& place) {
  const std::string port = std::to_string(place.port);
  const std::array<const char*, 7> keywords{
      "host", "port", "user", "dbname", "connect_timeout", "fallback_application_name", nullptr};
  const std::array<const char*, 7> values{
      place.host.c_str(), port.c_str(), place.role.c_str(), "pgveil", "10", "pgveil", nullptr};
  std::unique_ptr<ConsoleClient> client(
      new ConsoleClient(PQconnectdbParams(keywords.data(), values.data(), 0)));
  PGconn* connection = client->connection_.get();
  if (PQstatus(connection) == CONNECTION_OK) {
    PQsetNoticeProcessor(
        connection, [](void*, const char*) {}, nullptr);
    return client;
  }
  const std::string reason = line_of(PQerrorMessage(connection));
  if (PQconnectionNeedsPassword(connection) == 1) {
    return Error{ErrorKind::authentication, std::string(sqlstate::kInvalidPassword), reason,
                 "set PGPASSWORD or PGPASSFILE, or write the password into ~/.pgpass, as for psql"};
  }
  return Error{ErrorKind::connection, std::string(sqlstate::kConnectionFailure), reason,
               "is pgveil running, and may this role use the console?"};
}

Result<TextTable> ConsoleClient::run(const std::string& command) {
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_.get(), command.c_str()),
                                                             &PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return table_of(result.get());
  const std::string sqlstate = field_of(result.get(), PG_DIAG_SQLSTATE);
  if (sqlstate.empty()) {
    return Error{ErrorKind::connection, std::string(sqlstate::kConnectionFailure),
                 line_of(PQerrorMessage(connection_.get()))};
  }
  return Error{ErrorKind::server, sqlstate, field_of(result.get(), PG_DIAG_MESSAGE_PRIMARY),
               field_of(result.get(), PG_DIAG_MESSAGE_HINT)};
}

}  // namespace pgveil::db
