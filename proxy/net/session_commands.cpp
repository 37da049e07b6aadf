// One function for each command that the session gives its driver.
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "common/assert.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "proxy/net/session_driver.hpp"

namespace pgveil::net {
namespace {

// How long a statement waits for the versions that it is to be sent again under, and how often it looks.
constexpr std::chrono::seconds kMostWaiting{10};
constexpr std::chrono::milliseconds kBetweenLooks{20};

// Console::run is implemented elsewhere, and its exceptions must not end a thread of the pool.
console::Answer answer_to(console::Console& console, const console::Request& request,
                          const std::string& topic) {
  try {
    return console.run(request);
  } catch (const Bug& bug) {
    log::error(topic, fmt::format("a console command met a bug: {}", bug.what()));
  } catch (const std::exception& exception) {
    log::error(topic, "a console command met an unexpected exception");
    log::private_detail(topic, exception.what());
  }
  return Error{ErrorKind::server, std::string(sqlstate::kInternalError), "internal error", "see the log"};
}

// The same for Gate::look_up. An exception lets nobody in.
session::LookUp look_up(session::Gate& gate, const std::string& role, const std::string& topic) {
  try {
    return gate.look_up(role);
  } catch (const std::exception& exception) {
    log::error(topic, "looking up an account met an unexpected exception");
    log::private_detail(topic, exception.what());
  }
  return {std::nullopt, true};
}

}  // namespace

void SessionDriver::run(const session::NoteName& command) {
  watch_.note_name(command.application_name);
}

// A handshake that fails at its first bytes ends the connection as one that fails later does. It is posted
// because this runs inside apply().
void SessionDriver::run(const session::SecureClient& command) {
  PGVEIL_ASSERT(tls_->clients != nullptr);
  client_link_.secure(
      std::make_unique<TlsSession>(*tls_->clients, command.is_direct ? Alpn::required : Alpn::offered));
  if (command.received.empty() || take(Side::client, command.received)) return;
  post([](SessionDriver& driver) { driver.on_client_gone(); });
}

// Does nothing if the client has gone meanwhile.
void SessionDriver::run(const session::LookUpAccount& command) {
  asio::post(environment_.look_up_pool, [weak = weak_from_this(), role = command.role] {
    const auto self = weak.lock();
    if (!self) return;
    self->post([found = look_up(self->environment_.gate, role, self->topic_)](SessionDriver& driver) {
      driver.apply(session::AccountLookedUp{found});
    });
  });
}

void SessionDriver::run(const session::ConnectBackend& command) {
  PGVEIL_ASSERT(backend_ == Backend::none && !server_);
  backend_ = Backend::asking;
  spawn(run_backend(shared_from_this(), command));
}

void SessionDriver::run(const session::CloseBackend&) {
  close_backend();
}

// The read loop gives the connection back once it has seen that nothing more came.
void SessionDriver::run(const session::ReturnBackend& command) {
  PGVEIL_ASSERT(backend_ == Backend::open && server_);
  const BackendPtr server = server_;
  server->state = command.state;
  server->must_be_cleaned = command.must_be_cleaned;
  server->is_leaving = true;
  error_code ignored;  // the loop then ends by itself
  server->link.socket().cancel(ignored);
  backend_may_be_read_.notify();
  forget_backend();
}

void SessionDriver::run(const session::CloseClient&) {
  close_client();
}

void SessionDriver::run(const session::LoginDone&) {
  stop_login_timer();
}

void SessionDriver::run(const session::ForwardCancel& command) {
  const ServerConfig& config = environment_.config;
  // Nobody else may get the connection until it is known whether the request arrived.
  const auto cancels = server_ ? server_->cancels : std::make_shared<std::atomic<int>>(0);
  const std::size_t host = server_ ? server_->host : 0;
  ++*cancels;
  ++cancels_on_their_way_;
  // Not bound to the life of the client: the cancel request must arrive even if it has gone. The session
  // stays until then, because it does not read what its client sends meanwhile.
  asio::co_spawn(executor_,
                 forward_cancel(config.backends.at(host), config.connect_timeout, config.tls()->backend(host),
                                {command.pid, command.secret}),
                 [self = shared_from_this(), cancels](const std::exception_ptr& error, bool is_over) {
                   if (error) log::error(self->topic_, "forwarding a cancel request failed unexpectedly");
                   if (!error && is_over) --*cancels;
                   --self->cancels_on_their_way_;
                   self->guarded([](SessionDriver& driver) { driver.await_client(); });
                 });
}

void SessionDriver::run(const session::CancelOther& command) {
  if (const auto other = environment_.registry.find(command.pid, command.secret.bytes))
    other->request_cancel();
}

void SessionDriver::run(const session::RunConsole& command) {
  asio::post(environment_.console_pool, [self = shared_from_this(), request = command.request] {
    console::Answer answer = answer_to(self->environment_.console, request, self->topic_);
    self->post([answer = std::move(answer)](SessionDriver& driver) {
      driver.apply(session::ConsoleAnswered{answer});
    });
  });
}

// Looks now and then: a snapshot that is being made takes its time, and making it known to all who wait would
// be a list of them.
Task<void> SessionDriver::await_serving(Self self, session::AwaitServing wanted) {
  co_await asio::post(self->executor_,
                      asio::use_awaitable_t<Executor>{});  // never inside the step that asked
  const auto end = std::chrono::steady_clock::now() + kMostWaiting;
  Timer timer(self->executor_);
  bool is_other = false;
  while (self->client_ == Client::open) {
    const session::Serving now = self->environment_.gate.serving(wanted.database);
    const bool is_late = std::chrono::steady_clock::now() >= end;
    is_other = now.generation != wanted.generation && (is_late || !now.is_making_masks);
    if (is_other || is_late) break;
    timer.expires_after(kBetweenLooks);
    static_cast<void>(co_await timer.async_wait(kAsTuple));
  }
  if (self->client_ == Client::open) self->apply(session::ServingLooked{is_other});
}

void SessionDriver::run(const session::AwaitServing& command) {
  spawn(await_serving(shared_from_this(), command));
}

void SessionDriver::run(const session::LogLine& command) {
  const std::string topic = command.request == 0 ? topic_ : fmt::format("{}/{}", topic_, command.request);
  log::write(command.is_warning ? log::Level::warning : log::Level::info, topic, command.text);
  if (!command.private_detail.empty()) log::private_detail(topic, command.private_detail);
}

}  // namespace pgveil::net
