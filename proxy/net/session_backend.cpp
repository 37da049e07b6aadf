// How a session's driver gets a connection to the backend, reads it, and gives it up.
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
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
  Pools::Grant grant = co_await wait_for_grant(self, wanted);
  auto* lent = std::get_if<BackendPtr>(&grant);
  if (self->backend_ != Backend::asking) {
    if (lent != nullptr) self->environment_.pools.give_back(std::move(*lent));
    co_return;
  }
  if (lent != nullptr) {
    co_await take_over(self, std::move(*lent));
  } else if (auto* slot = std::get_if<std::unique_ptr<PoolSlot>>(&grant)) {
    co_await log_in(self, std::move(wanted), std::move(*slot));
  } else {
    self->backend_ = Backend::none;
    self->apply(session::BackendTimedOut{});
  }
}

Task<Result<std::string>> SessionDriver::fetch_password(Self self, std::string refused) {
  const auto& command = self->environment_.config.query_password;
  if (!refused.empty()) command->forget(refused);
  if (auto kept = command->kept()) co_return std::move(*kept);
  const auto fetched = std::make_shared<std::optional<Result<std::string>>>();
  asio::post(self->environment_.password_pool,
             [weak = self->weak_from_this(), executor = self->executor_, command, fetched] {
               auto password = command->get();
               asio::post(executor, [weak, fetched, password = std::move(password)] {
                 *fetched = password;
                 if (const auto driver = weak.lock()) driver->wait_timer_.cancel();
               });
             });
  constexpr std::chrono::hours kLongerThanAny{24};  // the command has a limit of its own
  while (!*fetched && self->backend_ == Backend::asking) {
    self->wait_timer_.expires_after(kLongerThanAny);
    static_cast<void>(co_await self->wait_timer_.async_wait(kAsTuple));
  }
  if (*fetched) co_return std::move(**fetched);
  co_return Error{ErrorKind::connection, std::string(sqlstate::kConnectionFailure), "it is no longer wanted"};
}

Task<std::optional<Connection>> SessionDriver::try_servers(Self self, session::ConnectBackend wanted,
                                                           std::shared_ptr<const TlsSettings> tls,
                                                           std::size_t& attempt) {
  const ServerConfig& config = self->environment_.config;
  LostServers& lost = self->environment_.lost_servers;
  // The attempts before this one led to servers that can't be used now.
  if (wanted.attempt == 0) {
    const bool is_for_writing = wanted.is_bypass && config.backends.size() > 1;
    self->attempts_ = attempts_for(is_for_writing ? WantedServer::prefer_primary : config.wanted,
                                   lost.order(config.backends.size()));
  } else if (wanted.refused_password.empty()) {
    lost.note(self->attempts_.at(wanted.attempt - 1).host);
  }
  for (attempt = wanted.attempt; attempt < self->attempts_.size(); ++attempt) {
    const std::size_t host = self->attempts_[attempt].host;
    auto connected = co_await connect(config.backends.at(host), config.connect_timeout, tls->backend(host));
    if (self->backend_ != Backend::asking) co_return std::nullopt;
    if (connected) co_return std::move(*connected);
    lost.note(host);
    const Error& error = connected.error();
    log::warning(self->topic_, fmt::format("{}: {}: {}", text_of(config.backends.at(host)),
                                           error.public_message, error.private_detail));
  }
  co_return std::nullopt;
}

Task<void> SessionDriver::log_in(Self self, session::ConnectBackend wanted, std::unique_ptr<PoolSlot> slot) {
  const ServerConfig& config = self->environment_.config;
  const std::uint64_t generation = self->environment_.pools.generation();
  const auto give_up = [&](const std::string& why) {
    if (self->backend_ != Backend::asking) return;  // it is no longer wanted
    self->backend_ = Backend::none;
    self->apply(session::BackendFailed{why});
  };
  std::optional<std::string> password;
  if (config.query_password && !wanted.is_bypass) {
    auto fetched = co_await fetch_password(self, wanted.refused_password);
    if (!fetched) co_return give_up(fetched.error().public_message);
    password = std::move(*fetched);
  }
  std::size_t attempt = 0;
  // RELOAD may have changed them since the client connected.
  const auto settings = config.tls();
  auto connected = co_await try_servers(self, wanted, settings, attempt);
  if (!connected) co_return give_up("no server can be reached");
  const ServerAttempt made = self->attempts_[attempt];
  auto connection = std::make_shared<BackendConnection>(self->executor_, std::move(slot));
  connection->link.open(std::move(connected->socket), std::move(connected->tls));
  connection->host = made.host;
  connection->lender = std::move(wanted.lender);
  connection->generation = generation;
  connection->opened_at = std::chrono::steady_clock::now();
  const TlsSession* tls = connection->link.tls();
  connection->facts = std::make_shared<const console::ServerConnection>(
      console::ServerConnection{.id = self->environment_.pools.next_id(),
                                .server = remote_address(connection->link.socket()),
                                .local = local_address(connection->link.socket()),
                                .tls = tls != nullptr ? tls->description() : std::string(),
                                .connected_at = std::time(nullptr)});
  self->server_ = connection;
  self->backend_ = Backend::open;
  self->watch_.note_backend(*connection);
  self->apply(session::BackendConnected{
      .is_secured = tls != nullptr,
      .end_point = tls != nullptr ? tls->end_point() : std::string(),
      .attempt = attempt,
      .is_last = attempt + 1 >= self->attempts_.size(),
      .kind = made.kind,
      .password = std::move(password),
      .requires_channel_binding = settings->backend_channel_binding,
      .may_send_token = config.query_password != nullptr && settings->knows_backends()});
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
    const auto [error, count] = co_await connection->link.socket().async_read_some(buffer.space(), kAwaited);
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
