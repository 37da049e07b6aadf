// How a session's driver gets a connection to the backend, reads it, and gives it up.
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "common/log.hpp"
#include "proxy/net/read_buffer.hpp"
#include "proxy/net/session_driver.hpp"

namespace pgveil::net {

// monostate: none became free in time, or it is no longer wanted.
Task<Pools::Grant> SessionDriver::wait_for_grant(Self self, session::ConnectBackend wanted) {
  Pools& pools = self->environment_.pools;
  const auto wait_limit = pools.settings(wanted.lender).wait_timeout;
  const auto wake = [weak = self->weak_from_this(), executor = self->executor_] {
    asio::post(executor, [weak] {
      if (const auto driver = weak.lock()) driver->wait_timer_.cancel();
    });
  };
  const auto waiter = pools.ask(std::move(wanted.lender), wanted.must_be_new, self->executor_, wake);
  Pools::Grant grant = pools.take_grant(waiter);
  if (std::holds_alternative<std::monostate>(grant)) {
    self->wait_timer_.expires_after(wait_limit);
    static_cast<void>(co_await self->wait_timer_.async_wait(kAsTuple));
    grant = pools.take_grant(waiter);
  }
  if (std::holds_alternative<std::monostate>(grant)) pools.abandon(waiter);
  co_return std::move(grant);
}

Task<void> SessionDriver::run_backend(Self self, session::ConnectBackend wanted) {
  co_await asio::post(self->executor_,
                      asio::use_awaitable_t<Executor>{});  // never inside the step that asked
  const session::Lender lender = wanted.lender;
  Pools::Grant grant = co_await wait_for_grant(self, std::move(wanted));
  auto* lent = std::get_if<BackendPtr>(&grant);
  if (self->backend_ != Backend::asking) {
    if (lent != nullptr) self->environment_.pools.give_back(std::move(*lent));
    co_return;
  }
  if (lent != nullptr) {
    co_await take_over(self, std::move(*lent));
  } else if (auto* slot = std::get_if<std::unique_ptr<PoolSlot>>(&grant)) {
    co_await log_in(self, lender, std::move(*slot));
  } else {
    self->backend_ = Backend::none;
    self->apply(session::BackendTimedOut{});
  }
}

Task<void> SessionDriver::log_in(Self self, session::Lender lender, std::unique_ptr<PoolSlot> slot) {
  const ServerConfig& config = self->environment_.config;
  const std::uint64_t generation = self->environment_.pools.generation();
  auto connected = co_await connect(config.backend, config.connect_timeout, config.tls()->backend);
  if (self->backend_ != Backend::asking) co_return;  // it is no longer wanted
  if (connected.has_error()) {
    const Error& error = connected.error();
    log::warning(self->topic_, fmt::format("{}:{}: {}: {}", config.backend.host, config.backend.port,
                                           error.public_message, error.private_detail));
    self->backend_ = Backend::none;
    self->apply(session::BackendFailed{error.public_message});
    co_return;
  }
  auto connection = std::make_shared<BackendConnection>(self->executor_, std::move(slot));
  connection->link.open(std::move(connected->socket), std::move(connected->tls));
  connection->lender = std::move(lender);
  connection->id = self->environment_.pools.next_id();
  connection->generation = generation;
  connection->opened_at = std::chrono::steady_clock::now();
  connection->connected_at = std::time(nullptr);
  connection->server = remote_address(connection->link.socket());
  connection->local = local_address(connection->link.socket());
  const TlsSession* tls = connection->link.tls();
  if (tls != nullptr) connection->tls = tls->description();
  self->server_ = connection;
  self->backend_ = Backend::open;
  self->watch_.note_backend(*connection);
  self->apply(session::BackendConnected{tls != nullptr, tls != nullptr ? tls->end_point() : std::string()});
  co_await read_backend(self, std::move(connection));
}

Task<void> SessionDriver::take_over(Self self, BackendPtr connection) {
  connection->link.move_to(self->executor_);
  connection->is_leaving = false;
  self->server_ = connection;
  self->backend_ = Backend::open;
  self->watch_.note_backend(*connection);
  self->apply(session::BackendLent{std::exchange(connection->state, nullptr)});
  co_await read_backend(self, std::move(connection));
}

// Runs until the connection ends or the session has given it back.
Task<void> SessionDriver::read_backend(Self self, BackendPtr connection) {
  ReadBuffer buffer;
  bool is_quiet = true;
  while (connection->link.is_open() && !connection->is_leaving) {
    if (self->backend_must_wait()) {
      co_await self->backend_may_be_read_.wait();
      continue;
    }
    const auto [error, count] = co_await connection->link.socket().async_read_some(buffer.space(), kAsTuple);
    if (connection->is_leaving) {  // given back while we waited: nothing may have come
      is_quiet = error == asio::error::operation_aborted && count == 0;
      break;
    }
    if (error || self->server_ != connection) break;
    const bool is_open = self->backend_ == Backend::open;
    if (is_open && !self->take(Side::backend, buffer.received(count))) {
      is_quiet = false;
      break;
    }
    buffer.adapt(count);
  }
  if (connection->is_leaving && is_quiet) co_return self->hand_over(connection);
  if (connection->is_leaving) connection->link.close();
  if (self->server_ == connection) self->on_backend_gone();
}

void SessionDriver::hand_over(const BackendPtr& connection) {
  const PeerConnection& link = connection->link;
  const bool is_usable = link.is_open() && !link.is_broken() && link.pending_bytes() == 0 &&
                         !link.is_pumping() && *connection->cancels == 0;
  if (!is_usable) return connection->link.close();
  Pools& pools = environment_.pools;
  if (!connection->must_be_cleaned) return pools.give_back(connection);
  asio::co_spawn(executor_, clean_and_give_back(pools, connection, environment_.config.close_timeout),
                 asio::detached);
}

Task<void> SessionDriver::clean_and_give_back(Pools& pools, BackendPtr connection,
                                              std::chrono::milliseconds timeout) {
  pools.note(*connection, Pools::Cleaning::begins);
  const bool is_clean = co_await clean(connection, timeout);
  pools.note(*connection, Pools::Cleaning::ends);
  if (!is_clean) co_return connection->link.close();
  pools.give_back(std::move(connection));
}

}  // namespace pgveil::net
