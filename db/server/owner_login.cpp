#include "db/server/owner_login.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string_view>

#include "common/sqlstate.hpp"

namespace pgveil::db {
namespace {

using Raw = std::unique_ptr<PGconn, decltype(&PQfinish)>;

std::string text_of(const char* text) {
  return text == nullptr ? "" : text;
}

// One line of libpq's message.
std::string reason_of(const PGconn* connection) {
  std::string reason = text_of(PQerrorMessage(connection));
  while (reason.ends_with('\n')) reason.pop_back();
  std::ranges::replace(reason, '\n', ' ');
  return reason.empty() ? "there is not enough memory" : reason;
}

// What libpq made of all its sources.
std::string option_of(PGconn* connection, std::string_view keyword) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(PQconninfo(connection),
                                                                             &PQconninfoFree);
  for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr; ++option) {
    if (keyword == option->keyword) return text_of(option->val);
  }
  return "";
}

EndpointTls tls_of(PGconn* connection, bool is_encrypted) {
  EndpointTls tls;
  if (!is_encrypted) return tls;
  const std::string mode = option_of(connection, "sslmode");
  tls.sslmode = mode.starts_with("verify-") ? mode : "require";
  tls.root_certificates = option_of(connection, "sslrootcert");
  tls.revocation_lists = option_of(connection, "sslcrl");
  tls.certificate = option_of(connection, "sslcert");
  tls.key = option_of(connection, "sslkey");
  tls.requires_channel_binding = option_of(connection, "channel_binding") == "require";
  tls.is_direct = option_of(connection, "sslnegotiation") == "direct";
  return tls;
}

Result<OwnerLogin> login_of(PGconn* connection) {
  OwnerLogin login;
  login.is_encrypted = PQsslInUse(connection) == 1;
  login.database = text_of(PQdb(connection));
  login.encoding = text_of(PQparameterStatus(connection, "server_encoding"));
  login.endpoint.host = text_of(PQhost(connection));
  login.endpoint.user = text_of(PQuser(connection));
  login.endpoint.password = text_of(PQpass(connection));
  login.endpoint.tls = tls_of(connection, login.is_encrypted);
  const std::string port = text_of(PQport(connection));
  std::from_chars(port.data(), port.data() + port.size(), login.endpoint.port);
  return login;
}

}  // namespace

Result<OwnerLogin> log_in_as_owner(const std::string& place, const std::optional<std::string>& password) {
  // A later keyword takes precedence; `place` may stand in place of a database's name.
  const std::array<const char*, 5> keywords{"connect_timeout", "fallback_application_name", "dbname",
                                            password ? "password" : nullptr, nullptr};
  const std::array<const char*, 5> values{"10", "pgveil", place.empty() ? nullptr : place.c_str(),
                                          password ? password->c_str() : nullptr, nullptr};
  const Raw connection(PQconnectdbParams(keywords.data(), values.data(), 1), &PQfinish);
  if (PQstatus(connection.get()) == CONNECTION_OK) return login_of(connection.get());
  const bool needs_password = PQconnectionNeedsPassword(connection.get()) == 1;
  return Error{needs_password ? ErrorKind::authentication : ErrorKind::connection,
               std::string(sqlstate::kConnectionFailure), reason_of(connection.get()),
               "name the server as psql does: postgres://owner@host/database"};
}

}  // namespace pgveil::db
