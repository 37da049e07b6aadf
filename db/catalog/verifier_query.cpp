#include "db/catalog/verifier_query.hpp"

#include <fmt/format.h>

#include <utility>

#include "common/sqlstate.hpp"
#include "db/server/connection.hpp"
#include "db/server/deadline.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

constexpr std::string_view kWhat = "auth_query";
constexpr std::int64_t kGrace = 500;  // ms

std::optional<std::string> text_of(const Field& field) {
  return field.is_null() ? std::nullopt : std::optional<std::string>(field.c_str());
}

Result<std::vector<FoundVerifier>> rows_of(const Rows& result) {
  if (result.columns() != 2) {
    return Error{ErrorKind::server, std::string(sqlstate::kInvalidParameterValue),
                 fmt::format("auth_query gives {} columns", result.columns()),
                 "write a query that gives two: the role's name and its verifier"};
  }
  std::vector<FoundVerifier> rows;
  for (const auto& row : result) rows.push_back({text_of(row[0]), text_of(row[1])});
  return rows;
}

// A text of PostgreSQL's may quote what the query read, so it is dropped.
Error without_detail(Error error) {
  error.private_detail.clear();
  return error;
}

// It outlives the operation that makes it.
Endpoint without_kept(Endpoint endpoint) {
  endpoint.kept = nullptr;
  return endpoint;
}

}  // namespace

VerifierQuery::VerifierQuery(Endpoint endpoint, std::string database, std::string sql)
    : endpoint_(without_kept(std::move(endpoint))), database_(std::move(database)), sql_(std::move(sql)) {}

VerifierQuery::~VerifierQuery() = default;

Result<void> VerifierQuery::connect() {
  if (connection_) return {};
  auto opened = Connection::open(endpoint_, database_, Access::read_only);
  if (!opened) return opened.error();
  const std::string limit = fmt::format("SET statement_timeout = {}", endpoint_.connect_timeout_ms);
  auto limited = guarded<void>(kWhat, [&]() -> Result<void> {
    (*opened)->run(limit);
    return {};
  });
  if (!limited) return limited;
  connection_ = std::move(*opened);
  return {};
}

Result<std::vector<FoundVerifier>> VerifierQuery::ask_once(const std::string& name) {
  if (auto connected = connect(); !connected) return connected.error();
  // In addition to statement_timeout, which a server that hangs does not keep.
  const Deadline deadline(connection_->socket(),
                          std::chrono::milliseconds(endpoint_.connect_timeout_ms + kGrace));
  auto found = guarded<std::vector<FoundVerifier>>(
      kWhat, [&]() -> Result<std::vector<FoundVerifier>> { return rows_of(connection_->run(sql_, name)); });
  if (found || !deadline.has_passed()) return found;
  return Error{
      ErrorKind::server, std::string(sqlstate::kConnectionFailure),
      fmt::format("auth_query: the server has said nothing for {} ms", endpoint_.connect_timeout_ms + kGrace),
      "look at the server; backend.connect_timeout is how long it may take"};
}

Result<std::vector<FoundVerifier>> VerifierQuery::ask(const std::string& name) {
  const bool was_connected = connection_ != nullptr;
  auto found = ask_once(name);
  if (found) return found;
  connection_.reset();  // whatever it was, the next query starts anew
  if (was_connected && found.error().kind == ErrorKind::connection) {
    found = ask_once(name);
    if (found) return found;
    connection_.reset();
  }
  return without_detail(found.error());
}

Result<bool> VerifierQuery::is_superuser() {
  if (auto connected = connect(); !connected) return connected.error();
  return guarded<bool>(kWhat, [&]() -> Result<bool> {
    return connection_->run("SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user")[0][0]
        .as<bool>();
  });
}

}  // namespace pgveil::db
