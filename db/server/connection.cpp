#include "db/server/connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <random>
#include <thread>
#include <utility>

#include "common/assert.hpp"
#include "common/keep_alive.hpp"
#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/server/deadline.hpp"
#include "db/server/failure.hpp"
#include "db/server/server_identity.hpp"
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

constexpr std::size_t kCopyBytes = 65'536;  // sent at once
constexpr std::chrono::seconds kCancelPatience{1};
constexpr std::chrono::seconds kRollbackPatience{5};
constexpr int kLibpqOfDirectTls = 170000;

std::string escaped(std::string_view value) {
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string start_options(Access access, std::string_view echo) {
  std::string options;
  for (const auto& [name, value] : kPinned) options += fmt::format("-c {}={} ", name, value);
  if (!echo.empty()) options += fmt::format("-c {}={} ", kEchoSetting, echo);
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

std::string_view attributes_of(WantedServer wanted) {
  switch (wanted) {
    case WantedServer::any: return "any";
    case WantedServer::primary: return "primary";
    case WantedServer::standby: return "standby";
    case WantedServer::prefer_standby: return "prefer-standby";
    case WantedServer::prefer_primary: break;  // libpq has no such choice: Connection::open makes it
  }
  PGVEIL_ASSERT(false);
}

std::string server_options(const Endpoint& endpoint) {
  std::string hosts, ports;
  for (const auto& place : places_of(endpoint)) {
    hosts += (hosts.empty() ? "" : ",") + place.host;
    ports += (ports.empty() ? "" : ",") + std::to_string(place.port);
  }
  return fmt::format("host={} port={} target_session_attrs={}", escaped(hosts), escaped(ports),
                     attributes_of(endpoint.wanted));
}

// Who logs in where, and how.
std::string login_options(const Endpoint& endpoint, const std::string& database) {
  std::string out = fmt::format("{} user={} dbname={} application_name=pgveil client_encoding=UTF8",
                                server_options(endpoint), escaped(endpoint.user), escaped(database));
  if (!endpoint.password.empty()) out += " password=" + escaped(endpoint.password);
  out += fmt::format(" connect_timeout={}",
                     std::max<std::int64_t>(2, (endpoint.connect_timeout_ms + 999) / 1000));
  out +=
      fmt::format(" keepalives_idle={} keepalives_interval={} keepalives_count={}",
                  kServerKeepAlive.idle_seconds, kServerKeepAlive.interval_seconds, kServerKeepAlive.probes);
  return out + tls_options(endpoint.tls);
}

Error shutting_down() {
  return {ErrorKind::connection, std::string(sqlstate::kAdminShutdown), "pgveil is shutting down"};
}

// What tells kept connections apart. The password is left out: pgveil's own roles have one each.
std::string kept_login(Endpoint endpoint, const std::string& database) {
  endpoint.password.clear();
  return login_options(endpoint, database);
}

// Unique, so that no connection that a pooler has opened before can have it.
std::string new_echo() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::string where(const Endpoint& endpoint) {
  return text_of(places_of(endpoint));
}

Error at_place(const Endpoint& endpoint, Error error) {
  error.public_message = fmt::format("{}: {}", where(endpoint), error.public_message);
  return error;
}

// What a server says of itself that does not know some setting of ours. Empty: it says nothing.
std::string version_without_settings(const Endpoint& endpoint, const std::string& database) {
  const std::unique_ptr<PGconn, void (*)(PGconn*)> plain(
      PQconnectdb(login_options(endpoint, database).c_str()), &PQfinish);
  const std::unique_ptr<PGresult, void (*)(PGresult*)> said(PQexec(plain.get(), "SELECT version()"),
                                                            &PQclear);
  const bool is_answer = PQresultStatus(said.get()) == PGRES_TUPLES_OK && PQntuples(said.get()) == 1;
  return is_answer ? PQgetvalue(said.get(), 0, 0) : "";  // the first failure is the one to report
}

// Why a login failed, if that is known better than from its text.
Error explained(const Endpoint& endpoint, const std::string& database, Error failure) {
  if (failure.kind != ErrorKind::connection) return failure;
  if (is_of_a_pooler(failure.private_detail)) return at_place(endpoint, pooler_error());
  if (!is_about_a_setting(failure.private_detail)) return failure;
  const auto version = version_without_settings(endpoint, database);
  if (version.empty()) return failure;
  const auto original = refuse_forks(version);
  return original ? failure : at_place(endpoint, original.error());
}

ServerGreeting greeting_of(Connection& server) {
  const auto row = server.run(
      fmt::format("SELECT pg_catalog.version(), pg_catalog.current_setting('{}', true)", kEchoSetting))[0];
  return {row[0].as<std::string>(""), row[1].as<std::string>("")};
}

// A fork is named rather than the version that it says it has. What hangs up is refused for that version.
Result<void> check_version(Connection& server) {
  const auto supported = rewriter::check_server_version(server.server_version());
  if (supported) return supported;
  try {
    const auto version = server.run("SELECT version()")[0][0].as<std::string>("");
    if (auto original = refuse_forks(version); !original) return original;
  } catch (const std::exception&) {
    return supported;
  }
  return supported;
}

}  // namespace

std::vector<HostPort> places_of(const Endpoint& endpoint) {
  std::vector<HostPort> places{{endpoint.host, endpoint.port}};
  places.insert(places.end(), endpoint.others.begin(), endpoint.others.end());
  return places;
}

std::string connection_string(const Endpoint& endpoint, const std::string& database, Access access,
                              std::string_view echo) {
  return login_options(endpoint, database) + " options=" + escaped(start_options(access, echo));
}

Connection::Connection(const Endpoint& endpoint, const std::string& database, Access access)
    : interrupt_(endpoint.interrupt),
      database_(database),
      echo_(new_echo()),
      connection_(PQconnectdb(connection_string(endpoint, database, access, echo_).c_str()), &PQfinish) {
  if (PQstatus(connection_.get()) != CONNECTION_OK) throw LostConnection(PQerrorMessage(connection_.get()));
  // Notices may quote rows, and standard error is no place for them.
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  begin_use();
}

Connection::Connection(const Endpoint& endpoint, const std::string& database, KeptConnections::Kept kept)
    : interrupt_(endpoint.interrupt),
      database_(database),
      echo_(std::move(kept.echo)),
      connection_(std::move(kept.connection)) {
  begin_use();
}

void Connection::begin_use() {
  canceller_.reset(PQgetCancel(connection_.get()), &PQfreeCancel);
  own_socket_ = ::fcntl(PQsocket(connection_.get()), F_DUPFD_CLOEXEC, 0);
  if (interrupt_) interrupt_->add(*this);
}

void Connection::keep_in(std::shared_ptr<KeptConnections> kept, std::string user, std::string login) {
  kept_ = std::move(kept);
  user_ = std::move(user);
  login_ = std::move(login);
}

Connection::~Connection() {
  const bool is_clean = kept_ && end_transaction();
  if (interrupt_) interrupt_->remove(*this);
  if (own_socket_ >= 0) ::close(own_socket_);
  if (!is_clean || is_cancelled_) return;  // a cancel that is on its way would end the next query
  try {
    kept_->keep(user_, {std::move(login_), std::move(echo_), std::move(connection_)});
  } catch (const std::exception&) {  // no memory: it is closed
  }
}

// True: the connection can be used again. An interrupt still ends it, because the server may hang.
bool Connection::end_transaction() noexcept {
  if (is_cancelled_ || (interrupt_ && interrupt_->is_ended())) return false;
  const auto state = PQtransactionStatus(connection_.get());
  if (state == PQTRANS_INTRANS || state == PQTRANS_INERROR) {
    try {
      const Deadline limit(own_socket_, kRollbackPatience);
      PQclear(PQexec(connection_.get(), "ROLLBACK"));
    } catch (const std::exception&) {  // no thread could be started
      return false;
    }
  }
  return PQstatus(connection_.get()) == CONNECTION_OK &&
         PQtransactionStatus(connection_.get()) == PQTRANS_IDLE;
}

// PQcancel waits until the server has closed the connection of the request. A server that hangs never does.
// Then the query's own connection is closed.
void Connection::cancel() noexcept {
  is_cancelled_ = true;
  if (canceller_ == nullptr) return;
  try {
    const auto is_answered = std::make_shared<std::promise<void>>();
    auto answer = is_answered->get_future();
    std::thread([canceller = canceller_, is_answered] {
      std::array<char, 256> reason{};  // the connection may be gone, which is fine
      PQcancel(canceller.get(), reason.data(), static_cast<int>(reason.size()));
      is_answered->set_value();
    }).detach();
    if (answer.wait_for(kCancelPatience) == std::future_status::ready) return;
  } catch (const std::exception&) {  // no thread could be started
  }
  if (own_socket_ >= 0) ::shutdown(own_socket_, SHUT_RDWR);
}

void Connection::refuse_if_ended() const {
  if (interrupt_ && interrupt_->is_ended()) throw Abandon{shutting_down()};
}

Rows Connection::checked(pg_result* result, std::initializer_list<int> wanted) {
  SharedResult rows(result, [](const pg_result* answer) { PQclear(const_cast<pg_result*>(answer)); });
  if (std::ranges::find(wanted, static_cast<int>(PQresultStatus(result))) != wanted.end())
    return Rows(std::move(rows));
  const std::string_view reason = result == nullptr ? "" : PQresultErrorMessage(result);
  if (result == nullptr || PQstatus(connection_.get()) != CONNECTION_OK)
    throw LostConnection(reason.empty() ? PQerrorMessage(connection_.get()) : std::string(reason));
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  throw SqlFailure(
      reason.empty() ? "the server answered something else than what was asked for" : std::string(reason),
      state == nullptr ? "" : state);
}

Rows Connection::run(const std::string& sql) {
  refuse_if_ended();
  return checked(PQexec(connection_.get(), sql.c_str()), {PGRES_TUPLES_OK, PGRES_COMMAND_OK});
}

Rows Connection::run_with(const std::string& sql, std::span<const Parameter> parameters) {
  refuse_if_ended();
  std::vector<const char*> values;
  for (const Parameter& parameter : parameters) values.push_back(parameter.c_str());
  return checked(PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                              values.data(), nullptr, nullptr, 0),
                 {PGRES_TUPLES_OK, PGRES_COMMAND_OK});
}

void Connection::take_all_results() {
  // All of them are read before the first bad one is reported, or the next query could not start.
  std::vector<std::unique_ptr<PGresult, void (*)(PGresult*)>> results;
  while (PGresult* result = PQgetResult(connection_.get())) {
    results.emplace_back(result, &PQclear);
    if (PQstatus(connection_.get()) != CONNECTION_OK) break;
  }
  for (auto& result : results) static_cast<void>(checked(result.release(), {PGRES_COMMAND_OK}));
}

void Connection::begin_copy_into(const std::string& table, const std::vector<std::string>& columns) {
  refuse_if_ended();
  lines_.clear();
  const std::string sql = fmt::format("COPY {} ({}) FROM STDIN", table, fmt::join(columns, ", "));
  static_cast<void>(checked(PQexec(connection_.get(), sql.c_str()), {PGRES_COPY_IN}));
}

void Connection::write_line(std::string_view line) {
  lines_ += line;
  lines_ += '\n';
  if (lines_.size() >= kCopyBytes) send_lines();
}

void Connection::send_lines() {
  const int status = PQputCopyData(connection_.get(), lines_.data(), static_cast<int>(lines_.size()));
  lines_.clear();
  if (status != 1) throw LostConnection(PQerrorMessage(connection_.get()));
}

void Connection::end_copy_into() {
  if (!lines_.empty()) send_lines();
  if (PQputCopyEnd(connection_.get(), nullptr) != 1) throw LostConnection(PQerrorMessage(connection_.get()));
  take_all_results();
}

void Connection::give_up_copy_into() noexcept {
  PQputCopyEnd(connection_.get(), "pgveil gave up");
  while (PGresult* result = PQgetResult(connection_.get())) {
    const bool is_stuck = PQresultStatus(result) == PGRES_COPY_IN;  // the end could not be sent
    PQclear(result);
    if (is_stuck || PQstatus(connection_.get()) != CONNECTION_OK) break;
  }
}

void Connection::begin_copy_out(const std::string& query) {
  refuse_if_ended();
  const std::string sql = "COPY (" + query + ") TO STDOUT";
  static_cast<void>(checked(PQexec(connection_.get(), sql.c_str()), {PGRES_COPY_OUT}));
}

bool Connection::read_line(std::string& line) {
  char* read = nullptr;
  const int size = PQgetCopyData(connection_.get(), &read, 0);
  if (size < 0) {  // the end, or a failure, of which the result tells
    take_all_results();
    return false;
  }
  line.assign(read, static_cast<std::size_t>(size));
  PQfreemem(read);
  if (line.ends_with('\n')) line.pop_back();  // ends the line; a line feed in the data is escaped
  return true;
}

void Connection::give_up_copy_out() noexcept {
  cancel();  // or all that is left would have to be read
  char* read = nullptr;
  while (PQgetCopyData(connection_.get(), &read, 0) >= 0) PQfreemem(read);
  while (PGresult* result = PQgetResult(connection_.get())) {
    const bool is_stuck = PQresultStatus(result) == PGRES_COPY_OUT;
    PQclear(result);
    if (is_stuck || PQstatus(connection_.get()) != CONNECTION_OK) break;
  }
}

int Connection::socket() const {
  return PQsocket(connection_.get());
}

int Connection::server_version() const {
  return PQserverVersion(connection_.get());
}

namespace {

// With the settings of a login, and without what its last use may have left in the session. Null: none was
// kept for this, or the server has closed it meanwhile, or does not answer in the time of a login. Releases
// before 15.9, 16.5 and 17.1 forget with DISCARD ALL which role the login had set.
std::unique_ptr<Connection> reopen(const Endpoint& endpoint, const std::string& database, Access access) {
  const auto login = access == Access::read_only ? kept_login(endpoint, database) : "";
  auto kept = endpoint.kept->take(endpoint.user, login);
  if (!kept) return nullptr;
  auto reset = guarded<std::unique_ptr<Connection>>("using a connection again", [&] {
    auto connection = std::make_unique<Connection>(endpoint, database, std::move(*kept));
    {
      const Deadline limit(connection->socket(), std::chrono::milliseconds(endpoint.connect_timeout_ms));
      connection->run("DISCARD ALL");
      connection->run("RESET ROLE");
    }
    connection->keep_in(endpoint.kept, endpoint.user, login);
    return connection;
  });
  return reset ? std::move(*reset) : nullptr;
}

Result<std::unique_ptr<Connection>> open_once(const Endpoint& endpoint, const std::string& database,
                                              Access access) {
  const std::string what = fmt::format("connecting to {}, database {}, as {}", where(endpoint),
                                       quoted_name(database), endpoint.user);
  auto opened = guarded<std::unique_ptr<Connection>>(what, [&]() -> Result<std::unique_ptr<Connection>> {
    auto connection = std::make_unique<Connection>(endpoint, database, access);
    if (auto supported = check_version(*connection); !supported) return supported.error();
    const auto known = judge_greeting(greeting_of(*connection), connection->echo());
    if (!known) return at_place(endpoint, known.error());
    if (endpoint.kept && access == Access::read_only)
      connection->keep_in(endpoint.kept, endpoint.user, kept_login(endpoint, database));
    return connection;
  });
  if (!opened) return explained(endpoint, database, opened.error());
  return opened;
}

// Whether the server itself answered, and did not let us in. Its words may be in any language.
bool is_refused_login(const Error& error) {
  return error.kind == ErrorKind::connection && error.private_detail.find("FATAL") != std::string::npos;
}

Result<std::unique_ptr<Connection>> open_with_command(Endpoint endpoint, const std::string& database,
                                                      Access access) {
  auto password = endpoint.password_command->get();
  if (!password) return password.error();
  endpoint.password = *password;
  auto opened = open_once(endpoint, database, access);
  if (opened || !is_refused_login(opened.error())) return opened;
  endpoint.password_command->forget(*password);
  auto again = endpoint.password_command->get();
  if (!again) return again.error();
  if (*again == *password) return opened;
  endpoint.password = *again;
  return open_once(endpoint, database, access);
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const Endpoint& endpoint, const std::string& database,
                                                     Access access) {
  if (endpoint.interrupt && endpoint.interrupt->is_ended()) return shutting_down();
  if (endpoint.wanted == WantedServer::prefer_primary) {
    Endpoint one = endpoint;
    one.wanted = WantedServer::primary;
    auto opened = open(one, database, access);
    if (opened || opened.error().kind != ErrorKind::connection) return opened;
    one.wanted = WantedServer::any;
    return open(one, database, access);
  }
  if (endpoint.kept) {
    if (auto kept = reopen(endpoint, database, access)) return kept;
  }
  return endpoint.password_command ? open_with_command(endpoint, database, access)
                                   : open_once(endpoint, database, access);
}

}  // namespace pgveil::db
