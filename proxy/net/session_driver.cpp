#include "proxy/net/session_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <iterator>
#include <utility>

#include "common/assert.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "proxy/net/random.hpp"
#include "proxy/wire/codec.hpp"

namespace pgveil::net {
namespace {

// Over a Unix socket there is no TLS, and none is wanted.
session::SessionConfig config_for(const Environment& environment, SessionPid pid, const TlsSettings& tls,
                                  const console::Address& client,
                                  session::ClientAuthentication authentication) {
  session::SessionConfig config = environment.config.session;
  config.authentication = authentication;
  config.client_pid = pid;
  config.make_nonce = random_nonce;
  config.is_audited = environment.config.audit != nullptr;
  const bool is_local = client.host == "unix";
  config.encryption = is_local ? session::ClientEncryption::declined : tls.for_clients;
  config.client_address = is_local ? std::string() : client.host.empty() ? "gone" : client.host;
  config.pool_mode = [&environment](const std::string& role, const std::string& database) {
    return environment.config.pools(role, database).mode;
  };
  return config;
}

constexpr std::size_t kClientReadBytes = 64 * 1024;
constexpr std::string_view kTooMany = "too many connections";

Error too_many(std::string_view of_whom, std::string_view fix) {
  return {ErrorKind::limit, std::string(sqlstate::kTooManyConnections),
          fmt::format("{}{}", kTooMany, of_whom), fmt::format("try again later, or have {} raised", fix)};
}

// What a client is told that had not logged in when its place was needed.
std::string put_out_message() {
  wire::ErrorResponse response;
  response.diagnostics.fields = {{'S', "FATAL"},
                                 {'V', "FATAL"},
                                 {'C', std::string(sqlstate::kTooManyConnections)},
                                 {'M', "too many connections that have not logged in"},
                                 {'H', "try again later, or have login_clients raised"}};
  std::string out;
  wire::encode(response, out);
  return out;
}

}  // namespace

// ---- beginning and end

SessionDriver::SessionDriver(const Environment& environment, Socket client, SessionPid pid,
                             std::uint64_t number, session::ClientAuthentication authentication)
    : environment_(environment),
      executor_(client.get_executor()),
      pid_(pid),
      number_(number),
      topic_(fmt::format("session {}", number)),
      tls_(environment.config.tls()),
      watch_(environment.statistics, number, client),
      session_(with_registry(config_for(environment_, pid, *tls_, watch_.info().client, authentication)),
               environment.gate),
      audit_(environment.config.audit != nullptr
                 ? std::make_unique<AuditTrail>(*environment.config.audit, number, watch_.info().client)
                 : nullptr),
      client_link_(executor_),
      backend_may_be_read_(executor_),
      wait_timer_(executor_),
      deadline_timer_(executor_) {
  client_link_.open(std::move(client));
}

SessionDriver::~SessionDriver() {
  if (!is_released_) environment_.registry.release(pid_);
}

session::SessionConfig SessionDriver::with_registry(session::SessionConfig config) {
  config.admit = [this](const std::string& role, const std::string& database) {
    return admit(role, database);
  };
  config.make_secret = [this](std::size_t bytes) { return environment_.registry.make_secret(pid_, bytes); };
  return config;
}

// From here on other limits apply to what it waits for: connect_timeout, and the pool's wait_timeout.
Result<void> SessionDriver::admit(const std::string& role, const std::string& database) {
  const bool is_kept = database == session::kConsoleDatabase && environment_.config.is_admin(role);
  switch (environment_.registry.admit(pid_, role, is_kept)) {
    case Admission::in: stop_login_timer(); return {};
    case Admission::too_many:
      environment_.statistics.turned_away.fetch_add(1, std::memory_order_relaxed);
      return too_many("", "max_clients");
    case Admission::too_many_role: return too_many(" for this role", "max_role_clients");
    case Admission::too_late: return too_many(" that have not logged in", "login_clients");
  }
  PGVEIL_ASSERT(false);
}

void SessionDriver::stop_login_timer() {
  if (deadline_ != Deadline::login) return;
  deadline_ = Deadline::none;
  deadline_timer_.cancel();
}

void SessionDriver::start() {
  post([](SessionDriver& driver) {
    driver.set_deadline(Deadline::login, driver.environment_.config.login_timeout);
    driver.await_client();
  });
}

void SessionDriver::request_cancel() {
  post([](SessionDriver& driver) { driver.apply(session::CancelRequested{}); });
}

void SessionDriver::request_shutdown() {
  post([](SessionDriver& driver) { driver.apply(session::ShuttingDown{}); });
}

void SessionDriver::request_access_check() {
  post([](SessionDriver& driver) { driver.apply(session::AccessChanged{}); });
}

void SessionDriver::request_end_at_rest() {
  post([](SessionDriver& driver) {
    driver.ends_at_rest_ = true;
    driver.watch_.note_ending();
    driver.end_if_at_rest();
  });
}

void SessionDriver::end_if_at_rest() {
  switch (watch_.activity()) {
    case session::Activity::in_transaction:
    case session::Activity::active:
    case session::Activity::closed: return;
    case session::Activity::login:
    case session::Activity::waiting:
    case session::Activity::idle: break;
  }
  apply(session::ShuttingDown{});
}

// This reads the state from another thread. If the state has changed when the session's own thread looks,
// nothing is ended.
void SessionDriver::check_patience() {
  const ServerConfig& config = environment_.config;
  const auto is_over = [this](std::chrono::milliseconds limit) {
    return limit > limit.zero() && watch_.in_activity() > limit;
  };
  const auto end = [this](session::Activity activity, const session::Event& event) {
    post([activity, event](SessionDriver& driver) {
      if (driver.watch_.activity() == activity) driver.apply(event);
    });
  };
  const session::Activity activity = watch_.last_activity();
  switch (activity) {
    case session::Activity::login:
    case session::Activity::closed: return;
    case session::Activity::waiting:  // a server that accepts our connection and then says nothing
      if (watch_.has_backend() && is_over(config.connect_timeout)) end(activity, session::LoginTimedOut{});
      return;
    case session::Activity::idle:
      if (is_over(config.client_idle_timeout)) {
        end(activity, session::PatienceEnded{session::Patience::client_idle});
      }
      return;
    case session::Activity::in_transaction:
      if (is_over(config.idle_in_transaction_timeout)) {
        end(activity, session::PatienceEnded{session::Patience::idle_in_transaction});
      }
      return;
    case session::Activity::active:  // commands of the console may take long
      if (watch_.has_backend() && is_over(config.query_timeout)) {
        end(activity, session::PatienceEnded{session::Patience::query});
      }
      return;
  }
}

// Another session has its place, so nobody waits for it.
void SessionDriver::request_put_out() {
  post([](SessionDriver& driver) {
    if (driver.client_ == Client::open) driver.send(Side::client, put_out_message());
    driver.close_all();
  });
}

void SessionDriver::request_abort() {
  post([](SessionDriver& driver) { driver.close_all(); });
}

void SessionDriver::spawn(Task<void> task) {
  asio::co_spawn(executor_, std::move(task), [self = shared_from_this()](const std::exception_ptr& error) {
    if (error) self->fail(error);
  });
}

void SessionDriver::post(std::function<void(SessionDriver&)> work) {
  asio::post(executor_, [self = shared_from_this(), work = std::move(work)] { self->guarded(work); });
}

void SessionDriver::guarded(const std::function<void(SessionDriver&)>& work) noexcept {
  try {
    work(*this);
  } catch (...) {
    fail(std::current_exception());
  }
}

// The last resort: an exception of a session ends that session and nothing else.
void SessionDriver::fail(const std::exception_ptr& error) noexcept {
  try {
    close_all();
    std::rethrow_exception(error);
  } catch (const Bug& bug) {
    log::error(topic_, fmt::format("closed because of a bug: {}", bug.what()));
  } catch (const std::exception& exception) {
    log::error(topic_, "closed because of an unexpected exception");
    log::private_detail(topic_, exception.what());
  } catch (...) {
    log::error(topic_, "closed because of an unexpected exception of no known type");
  }
}

// ---- events

session::Actions SessionDriver::audited_step(const session::Event& event) {
  session::Actions actions = session_.step(event);
  if (!audit_ || audit_->keep(actions.audit)) return actions;
  actions.to_client.clear();
  actions.to_backend.clear();
  std::erase_if(actions.commands, [](const session::Command& command) {
    return std::holds_alternative<session::ConnectBackend>(command) ||
           std::holds_alternative<session::ReturnBackend>(command) ||
           std::holds_alternative<session::RunConsole>(command);
  });
  session::Actions end = session_.step(session::AuditFailed{});
  static_cast<void>(audit_->keep(end.audit));
  actions.to_client = std::move(end.to_client);
  actions.to_backend = std::move(end.to_backend);
  std::ranges::move(end.commands, std::back_inserter(actions.commands));
  return actions;
}

void SessionDriver::apply(const session::Event& event) {
  session::Actions actions = audited_step(event);
  watch_.note(session_);
  if (!actions.to_client.empty()) send(Side::client, std::move(actions.to_client));
  if (!actions.to_backend.empty()) send(Side::backend, std::move(actions.to_backend));
  for (const session::Command& command : actions.commands) {
    std::visit([this](const auto& kind) { run(kind); }, command);
  }
  if (ahead_bytes_ > 0 && session_.wants_client_bytes()) {
    ahead_bytes_ = 0;
    await_client();
  }
  watch_.set_pending(client_link_.pending_bytes() + pending_at_backend());
  if (ends_at_rest_) end_if_at_rest();
}

// Waits for bytes before it reads them, because most clients are idle: so all clients of a thread share one
// buffer, and nothing is kept for a client that is silent.
void SessionDriver::await_client() {
  if (awaits_client_ || !client_link_.is_open() || client_must_wait()) return;
  awaits_client_ = true;
  client_link_.socket().async_wait(Socket::wait_read, [self = shared_from_this()](const error_code& error) {
    self->awaits_client_ = false;
    self->guarded(
        [&error](SessionDriver& driver) { error ? driver.on_client_gone() : driver.read_client(); });
  });
}

void SessionDriver::read_client() {
  thread_local std::array<char, kClientReadBytes> buffer;
  if (client_must_wait()) return;
  error_code error;
  const std::size_t count = client_link_.socket().read_some(asio::buffer(buffer), error);
  if (error && error != asio::error::would_block) return on_client_gone();
  if (!error && client_ == Client::open && !take(Side::client, {buffer.data(), count}))
    return on_client_gone();
  await_client();
}

bool SessionDriver::take(Side side, std::string_view raw) {
  const auto received = link(side).receive(raw);
  start_pump(side);
  if (!received) {
    log::warning(topic_, fmt::format("{}: {}: {}", side == Side::client ? "client" : "database server",
                                     received.error().public_message, received.error().private_detail));
    return false;
  }
  if (side == Side::client) {
    take_client_bytes(*received);
  } else if (!received->bytes.empty()) {
    apply(session::BackendBytes{received->bytes});
  }
  return !received->is_end;
}

void SessionDriver::take_client_bytes(const PeerConnection::Received& received) {
  if (received.is_newly_secured) {
    watch_.note_client_tls(client_link_.tls()->description());
    apply(session::ClientSecured{client_link_.tls()->end_point(), client_link_.tls()->peer_name()});
  }
  if (received.bytes.empty() || client_ != Client::open) return;
  ahead_bytes_ += received.bytes.size();
  watch_.add_received(received.bytes.size());
  apply(session::ClientBytes{received.bytes});
}

void SessionDriver::on_client_gone() {
  if (client_ == Client::closed) return;
  const bool is_news = client_ == Client::open;
  client_ = Client::closed;
  client_link_.close();
  if (is_news) apply(session::ClientClosed{});
  close_backend();
  wake_readers();
  release_if_over();
}

void SessionDriver::on_backend_gone() {
  if (!server_) return;
  const bool is_news = backend_ == Backend::open;
  server_->link.close();
  forget_backend();
  if (is_news) apply(session::BackendClosed{});
  wake_readers();
  release_if_over();
}

// ---- writing, and waiting for it

void SessionDriver::send(Side side, std::string bytes) {
  if (side == Side::backend && !server_) return;  // it has just gone, and the session is told next
  PeerConnection& to = link(side);
  if (side == Side::client) watch_.add_sent(bytes.size());
  if (to.send(std::move(bytes)) == PeerConnection::Sent::queued) start_pump(side);
  // A backend that does not accept bytes may have left an explanation, and its read loop ends the session. To
  // such a client nothing more can be said. This is posted because it runs inside apply().
  if (side == Side::client && to.is_broken() && client_ != Client::closed) {
    post([](SessionDriver& driver) { driver.on_client_gone(); });
  }
}

void SessionDriver::start_pump(Side side) {
  if (side == Side::backend && !server_) return;
  PeerConnection& to = link(side);
  if (to.pending_bytes() == 0 || to.is_pumping()) return;
  to.set_pumping(true);
  spawn(pump(shared_from_this(), side, side == Side::backend ? server_ : nullptr));
}

// kept: the connection that is written to. At the end it may no longer be ours.
Task<void> SessionDriver::pump(Self self, Side side, BackendPtr kept) {
  PeerConnection& to = kept ? kept->link : self->client_link_;
  while (to.is_open() && to.pending_bytes() > 0) {
    co_await to.write_front();
    self->watch_.set_pending(self->client_link_.pending_bytes() + self->pending_at_backend());
    if (to.pending_bytes() <= self->environment_.config.queue_limit_bytes) self->wake_readers();
  }
  to.set_pumping(false);
  if (side == Side::client || kept == self->server_) self->on_flushed(side);
}

void SessionDriver::on_flushed(Side side) {
  const bool is_broken = link(side).is_broken();
  if (side == Side::client) {
    if (is_broken)
      on_client_gone();
    else if (client_ == Client::closing)
      client_link_.shut_down_sending();
  } else if (backend_ == Backend::closing) {
    on_backend_gone();
  }
}

void SessionDriver::wake_readers() {
  await_client();
  backend_may_be_read_.notify();
}

// While this is true, no operation on the client's socket keeps the session alive. So whatever ends the
// waiting must hold the session: the pump, the cancel request, or what the session waits for.
bool SessionDriver::client_must_wait() const {
  const std::size_t limit = environment_.config.queue_limit_bytes;
  return client_ == Client::open &&
         (cancels_on_their_way_ > 0 || client_link_.pending_bytes() > limit || pending_at_backend() > limit ||
          (ahead_bytes_ > limit && !session_.wants_client_bytes()));
}

// Does not depend on what is pending for the backend, which may first have to be read before it reads.
bool SessionDriver::backend_must_wait() const {
  return backend_ == Backend::open && client_link_.pending_bytes() > environment_.config.queue_limit_bytes;
}

// ---- closing

// Sends what is pending, closes its own side, and waits for the client to close. Closing with unread bytes
// would reset the connection and could take the last message from the client.
void SessionDriver::close_client() {
  if (client_ == Client::open) {
    client_ = Client::closing;
    set_deadline(Deadline::close, environment_.config.close_timeout);
    if (client_link_.pending_bytes() == 0) client_link_.shut_down_sending();
    wake_readers();
  }
  close_backend();
}

void SessionDriver::close_backend() {
  if (backend_ == Backend::open && server_->link.pending_bytes() > 0) {
    backend_ = Backend::closing;
    set_deadline(Deadline::close, environment_.config.close_timeout);
  } else if (backend_ != Backend::closing) {
    if (server_) server_->link.close();
    forget_backend();
  }
  wake_readers();
  release_if_over();
}

void SessionDriver::close_all() noexcept {
  client_ = Client::closed;
  client_link_.close();
  if (server_) server_->link.close();
  forget_backend();
  wake_readers();
  release_if_over();
}

void SessionDriver::forget_backend() {
  backend_ = Backend::none;
  wait_timer_.cancel();
  if (!std::exchange(server_, nullptr)) return;
  watch_.note_backend_gone();
}

void SessionDriver::set_deadline(Deadline deadline, std::chrono::milliseconds from_now) {
  deadline_ = deadline;
  const std::uint64_t number = ++deadline_number_;
  deadline_timer_.expires_after(from_now);
  deadline_timer_.async_wait([self = shared_from_this(), number](const error_code& error) {
    if (error || number != self->deadline_number_) return;
    self->guarded([](SessionDriver& driver) { driver.on_deadline(); });
  });
}

void SessionDriver::on_deadline() {
  switch (deadline_) {
    case Deadline::none: return;
    case Deadline::login:
      apply(session::LoginTimedOut{});
      close_client();
      return;
    case Deadline::close: close_all(); return;
  }
}

void SessionDriver::release_if_over() {
  if (is_released_ || client_ != Client::closed || server_) return;
  is_released_ = true;
  deadline_ = Deadline::none;
  deadline_timer_.cancel();
  environment_.registry.release(pid_);
  log::debug(topic_, "closed");
}

}  // namespace pgveil::net
