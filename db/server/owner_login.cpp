#include "db/server/owner_login.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

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

// An absolute path, which is right in every folder. Empty: there is no such file, and libpq does without.
std::string absolute_file(const std::string& file) {
  if (file.empty()) return "";
  std::error_code failed;
  const auto path = std::filesystem::absolute(file, failed);
  return failed || !std::filesystem::exists(path, failed) ? "" : path.lexically_normal().string();
}

// Where libpq looks for authorities if no file is named.
std::string usual_authorities() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : absolute_file(std::string(home) + "/.postgresql/root.crt");
}

EndpointTls tls_of(PGconn* connection, bool is_encrypted) {
  EndpointTls tls;
  if (!is_encrypted) return tls;
  const std::string named = option_of(connection, "sslrootcert");
  tls.root_certificates = named == kSystemAuthorities ? named : absolute_file(named);
  const std::string mode = option_of(connection, "sslmode");
  if (mode.starts_with("verify-")) {
    tls.sslmode = mode;
    if (named.empty()) tls.root_certificates = usual_authorities();
  } else {
    // libpq checks the certificate in every mode if there is a file of authorities.
    tls.sslmode = tls.root_certificates.empty() ? "require" : "verify-ca";
  }
  tls.revocation_lists = absolute_file(option_of(connection, "sslcrl"));
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
