#include "db/server/connection.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/server/failure.hpp"
#include "rewriter/lists/supported_server.hpp"

namespace pgveil::db {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kPinned{{
    {"search_path", "pg_catalog"},
    {"DateStyle", "ISO"},
    {"TimeZone", "UTC"},
    {"IntervalStyle", "postgres"},
    {"extra_float_digits", "1"},
    {"bytea_output", "hex"},
    {"standard_conforming_strings", "on"},
    {"transform_null_equals", "off"},
    {"array_nulls", "on"},
    {"row_security", "off"},  // an error instead of rows that are silently missing from a count
    {"statement_timeout", "0"},
    {"idle_in_transaction_session_timeout", "0"},
    {"lc_monetary", "C"},
    {"jit", "off"},  // masks are large expressions, which take longer to compile than to interpret
}};

constexpr int kLibpqOfDirectTls = 170000;

std::string escaped(std::string_view value) {
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string start_options(Access access) {
  std::string options;
  for (const auto& [name, value] : kPinned) options += fmt::format("-c {}={} ", name, value);
  return options +
         fmt::format("-c default_transaction_read_only={}", access == Access::read_only ? "on" : "off");
}

std::string tls_options(const EndpointTls& tls) {
  std::string out = " sslmode=" + escaped(tls.sslmode);
  if (!tls.root_certificates.empty()) out += " sslrootcert=" + escaped(tls.root_certificates);
  if (!tls.revocation_lists.empty()) out += " sslcrl=" + escaped(tls.revocation_lists);
  if (!tls.certificate.empty()) out += " sslcert=" + escaped(tls.certificate) + " sslkey=" + escaped(tls.key);
  if (tls.requires_channel_binding) out += " channel_binding=require";
  if (tls.is_direct && PQlibVersion() >= kLibpqOfDirectTls) out += " sslnegotiation=direct";
  return out;
}

}  // namespace

std::string connection_string(const Endpoint& endpoint, const std::string& database, Access access) {
  std::string out =
      fmt::format("host={} port={} user={} dbname={} application_name=pgveil client_encoding=UTF8",
                  escaped(endpoint.host), endpoint.port, escaped(endpoint.user), escaped(database));
  if (!endpoint.password.empty()) out += " password=" + escaped(endpoint.password);
  out += fmt::format(" connect_timeout={}",
                     std::max<std::int64_t>(2, (endpoint.connect_timeout_ms + 999) / 1000));
  out += tls_options(endpoint.tls);
  return out + " options=" + escaped(start_options(access));
}

Connection::Connection(const Endpoint& endpoint, const std::string& database, Access access)
    : interrupt_(endpoint.interrupt),
      database_(database),
      connection_(connection_string(endpoint, database, access)),
      work_(connection_) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations"  // libpqxx 6 has no other way to forbid silent reconnects
  connection_.inhibit_reactivation(true);
#pragma GCC diagnostic pop
  if (interrupt_) interrupt_->add(*this);
}

Connection::~Connection() {
  if (interrupt_) interrupt_->remove(*this);
}

void Connection::cancel() noexcept {
  try {
    connection_.cancel_query();
  } catch (const std::exception&) {  // the connection may be gone, which is fine
  }
}

void Connection::refuse_if_ended() const {
  if (!interrupt_ || !interrupt_->is_ended()) return;
  throw Abandon{
      Error{ErrorKind::connection, std::string(sqlstate::kAdminShutdown), "pgveil is shutting down"}};
}

Result<std::unique_ptr<Connection>> Connection::open(const Endpoint& endpoint, const std::string& database,
                                                     Access access) {
  const std::string what = fmt::format("connecting to {}:{}, database {}, as {}", endpoint.host,
                                       endpoint.port, quoted_name(database), endpoint.user);
  return guarded<std::unique_ptr<Connection>>(what, [&]() -> Result<std::unique_ptr<Connection>> {
    auto connection = std::make_unique<Connection>(endpoint, database, access);
    if (auto supported = rewriter::check_server_version(connection->server_version()); !supported)
      return supported.error();
    return connection;
  });
}

}  // namespace pgveil::db
