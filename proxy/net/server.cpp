#include "proxy/net/server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "proxy/net/address.hpp"
#include "proxy/net/environment.hpp"
#include "proxy/net/random.hpp"
#include "proxy/net/session_driver.hpp"
#include "proxy/net/thread_group.hpp"
#include "proxy/net/unix_socket.hpp"

namespace pgveil::net {
namespace {

template <class Protocol>
using AcceptorOf = asio::basic_socket_acceptor<Protocol, Executor>;
using Acceptor = AcceptorOf<tcp>;
using LocalAcceptor = AcceptorOf<asio::local::stream_protocol>;
using WorkGuard = asio::executor_work_guard<Executor>;

constexpr std::chrono::milliseconds kAcceptRetry{100};  // after an error such as EMFILE, to avoid a busy loop
constexpr std::chrono::seconds kAcceptLogInterval{1};
constexpr std::chrono::milliseconds kAbortWait{2'000};    // until sockets closed by force are noticed
constexpr std::chrono::milliseconds kGoodbyeWait{1'000};  // until clients have read that they were ended
constexpr std::chrono::milliseconds kSweepInterval{250};
constexpr const char* kOwnNeighbourhood = "pgveil";  // for connections that the page makes
constexpr std::size_t kLookUpStackBytes = 1 << 20;   // enough for one query and its answer

// One secret for the life of the process, because the answer to a missing role must not change between its
// logins.
ServerConfig completed(ServerConfig config) {
  if (config.session.mock_secret.empty()) config.session.mock_secret = random_nonce();
  return config;
}

Error not_listening(const ServerConfig& config, const error_code& error) {
  return {ErrorKind::io, std::string(sqlstate::kInternalError),
          fmt::format("can't listen on {}:{}: {}", config.listen_host, config.listen_port, error.message()),
          "choose another listen address, or stop what uses it"};
}

Error not_loopback(const asio::ip::address& address) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
          fmt::format("auth.method trust, and the address to listen on is {}", address.to_string()),
          "use scram-sha-256, or listen on 127.0.0.1"};
}

// An exception of a handler must never end a thread. Each session catches its own; this catches all others.
void run_context(asio::io_context& context) noexcept {
  for (;;) {
    try {
      context.run();
      return;
    } catch (const std::exception& exception) {
      log::error("net", "a handler threw");
      log::private_detail("net", exception.what());
    }
  }
}

}  // namespace

class Server::Impl {
 public:
  Impl(ServerConfig config, session::Gate& gate, console::Console& console)
      : config_(completed(std::move(config))),
        registry_(config_.clients),
        pools_(config_.pools),
        console_pool_(static_cast<int>(config_.console_threads)),
        look_up_pool_(1),
        password_pool_(1),
        environment_{config_,     gate,          console,       registry_,      pools_,
                     statistics_, console_pool_, look_up_pool_, password_pool_, lost_servers_} {}

  [[nodiscard]] Result<void> start();
  void stop(std::chrono::milliseconds drain);
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::size_t client_count() const { return registry_.count(); }
  [[nodiscard]] std::size_t count_logging_in() const { return registry_.count_logging_in(); }
  [[nodiscard]] std::vector<console::SessionInfo> sessions() const;
  [[nodiscard]] const Statistics& statistics() const { return statistics_; }
  [[nodiscard]] Pools& pools() { return pools_; }
  [[nodiscard]] bool kill(std::uint64_t session_id);
  [[nodiscard]] Result<int> connect_vouched();
  void stop_listening();
  [[nodiscard]] bool is_listening() const { return !is_stopping_; }
  void end_sessions_at_rest();

 private:
  [[nodiscard]] Result<void> take_over();
  [[nodiscard]] Result<void> listen();
  [[nodiscard]] Result<void> check_address();
  [[nodiscard]] Result<void> start_threads();
  [[nodiscard]] Result<void> listen_locally();
  template <class Protocol>
  [[nodiscard]] Task<void> accept_clients(AcceptorOf<Protocol>& acceptor);
  [[nodiscard]] Task<void> count_periods();
  [[nodiscard]] Task<void> look_after_pools();
  void admit(Socket client, session::ClientAuthentication authentication) noexcept;
  void drive(Socket client, SessionPid pid, session::ClientAuthentication authentication);
  void put_out(const std::shared_ptr<SessionDriver>& driver);
  void log_accept_error(const error_code& error);

  // Order matters: sessions that are still in a context when it is destroyed give their pids back to the
  // registry.
  const ServerConfig config_;
  SessionRegistry registry_;
  Pools pools_;
  Statistics statistics_;
  asio::io_context console_pool_;
  asio::io_context look_up_pool_;
  asio::io_context password_pool_;
  LostServers lost_servers_;
  const Environment environment_;
  std::vector<std::unique_ptr<asio::io_context>> contexts_;
  std::vector<WorkGuard> work_guards_;
  std::unique_ptr<Acceptor> acceptor_;
  std::optional<UnixListener> socket_file_;
  std::unique_ptr<LocalAcceptor> local_acceptor_;
  ThreadGroup console_threads_;
  ThreadGroup look_up_threads_;
  ThreadGroup password_threads_;
  ThreadGroup threads_;
  std::uint16_t port_ = 0;
  std::uint64_t accepted_count_ = 0;
  std::chrono::steady_clock::time_point last_accept_log_{};
  std::atomic<bool> is_stopping_{false};  // stops accepting clients
  // Each is set before the list of sessions is read, so that a session that is added later sees it.
  std::atomic<bool> ends_at_rest_{false}, is_ending_{false};
  bool is_stopped_ = false;
};

// ---- start

Result<void> Server::Impl::start() {
  for (std::size_t i = 0; i < std::max<std::size_t>(config_.threads, 1); ++i) {
    contexts_.push_back(std::make_unique<asio::io_context>(1));  // 1: Asio's hint that one thread runs it
    work_guards_.push_back(asio::make_work_guard(*contexts_.back()));
  }
  work_guards_.push_back(asio::make_work_guard(console_pool_));
  work_guards_.push_back(asio::make_work_guard(look_up_pool_));
  work_guards_.push_back(asio::make_work_guard(password_pool_));
  if (config_.inherited.has_any()) {
    if (auto listening = take_over(); listening.has_error()) return listening;
  } else {
    if (auto listening = listen(); listening.has_error()) return listening;
    if (auto listening = listen_locally(); listening.has_error()) return listening;
  }
  const auto told = [](const std::exception_ptr& error) {
    if (error) log::error("net", "accepting clients ended unexpectedly");
  };
  if (acceptor_) asio::co_spawn(contexts_.front()->get_executor(), accept_clients(*acceptor_), told);
  if (local_acceptor_)
    asio::co_spawn(contexts_.front()->get_executor(), accept_clients(*local_acceptor_), told);
  asio::co_spawn(contexts_.front()->get_executor(), count_periods(), asio::detached);
  asio::co_spawn(contexts_.front()->get_executor(), look_after_pools(), asio::detached);
  return start_threads();
}

// Runs until its context ends.
Task<void> Server::Impl::count_periods() {
  Timer timer(contexts_.front()->get_executor());
  for (;;) {
    timer.expires_after(std::chrono::seconds(console::kTrafficPeriodSeconds));
    static_cast<void>(co_await timer.async_wait(kAsTuple));
    statistics_.end_period();
  }
}

// Runs until its context ends.
Task<void> Server::Impl::look_after_pools() {
  Timer timer(contexts_.front()->get_executor());
  std::uint64_t access_generation = environment_.gate.access_generation();
  for (;;) {
    timer.expires_after(kSweepInterval);
    static_cast<void>(co_await timer.async_wait(kAsTuple));
    pools_.sweep();
    const std::uint64_t access = environment_.gate.access_generation();
    const bool has_changed = std::exchange(access_generation, access) != access;
    for (const auto& driver : registry_.all()) {
      if (has_changed) driver->request_access_check();
      driver->check_patience();
    }
  }
}

Result<void> Server::Impl::listen() {
  error_code error;
  asio::ip::basic_resolver<tcp, Executor> resolver(contexts_.front()->get_executor());
  const auto found = resolver.resolve(config_.listen_host, std::to_string(config_.listen_port),
                                      tcp::resolver::passive, error);
  if (error) return not_listening(config_, error);
  const tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor_ = std::make_unique<Acceptor>(contexts_.front()->get_executor());
  acceptor_->open(endpoint.protocol(), error);
  if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_->bind(endpoint, error);
  if (error) return not_listening(config_, error);
  if (auto allowed = check_address(); !allowed) return allowed;
  acceptor_->listen(asio::socket_base::max_listen_connections, error);
  if (error) return not_listening(config_, error);
  return {};
}

// Checks the address of the socket, whatever name led to it.
Result<void> Server::Impl::check_address() {
  error_code error;
  const auto endpoint = acceptor_->local_endpoint(error);
  if (error) return not_listening(config_, error);
  port_ = endpoint.port();
  if (config_.is_loopback_only && !is_loopback(endpoint.address())) return not_loopback(endpoint.address());
  return {};
}

Result<void> Server::Impl::take_over() {
  error_code error;
  if (config_.inherited.tcp) {
    acceptor_ = std::make_unique<Acceptor>(contexts_.front()->get_executor());
    acceptor_->assign(config_.inherited.tcp_is_v6 ? tcp::v6() : tcp::v4(), *config_.inherited.tcp, error);
    if (error) return not_listening(config_, error);
    if (auto allowed = check_address(); !allowed) return allowed;
  }
  if (config_.inherited.local) {
    local_acceptor_ = std::make_unique<LocalAcceptor>(contexts_.front()->get_executor());
    local_acceptor_->assign(asio::local::stream_protocol(), *config_.inherited.local, error);
    if (error) return not_listening(config_, error);
  }
  return {};
}

Result<void> Server::Impl::listen_locally() {
  if (config_.socket_dir.empty()) return {};
  auto file = UnixListener::open(unix_socket_path(config_.socket_dir, port_), config_.socket_mode);
  if (file.has_error()) return file.error();
  socket_file_.emplace(std::move(*file));
  local_acceptor_ = std::make_unique<LocalAcceptor>(contexts_.front()->get_executor());
  error_code error;
  local_acceptor_->assign(asio::local::stream_protocol(), socket_file_->release(), error);
  if (error) return not_listening(config_, error);
  return {};
}

Result<void> Server::Impl::start_threads() {
  for (std::size_t i = 0; i < contexts_.size(); ++i) {
    auto added = threads_.add(fmt::format("pgveil-net-{}", i), config_.thread_stack_bytes,
                              [&context = *contexts_[i]] { run_context(context); });
    if (added.has_error()) return added;
  }
  for (std::size_t i = 0; i < std::max<std::size_t>(config_.console_threads, 1); ++i) {
    auto added = console_threads_.add(fmt::format("pgveil-cons-{}", i), config_.thread_stack_bytes,
                                      [this] { run_context(console_pool_); });
    if (added.has_error()) return added;
  }
  if (config_.query_password) {
    auto added =
        password_threads_.add("pgveil-password", kLookUpStackBytes, [this] { run_context(password_pool_); });
    if (added.has_error()) return added;
  }
  return look_up_threads_.add("pgveil-look-up", kLookUpStackBytes, [this] { run_context(look_up_pool_); });
}

// ---- clients

template <class Protocol>
Task<void> Server::Impl::accept_clients(AcceptorOf<Protocol>& acceptor) {
  Timer retry(contexts_.front()->get_executor());
  for (std::size_t next = 0; acceptor.is_open(); next = (next + 1) % contexts_.size()) {
    auto [error, client] = co_await acceptor.async_accept(*contexts_[next], kAsTuple);
    if (!error) {
      admit(Socket(std::move(client)),
            config_.session.authentication);  // also if we have stopped listening meanwhile
      continue;
    }
    if (!acceptor.is_open()) co_return;
    log_accept_error(error);
    retry.expires_after(kAcceptRetry);
    static_cast<void>(co_await retry.async_wait(kAsTuple));
  }
}

void Server::Impl::log_accept_error(const error_code& error) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_accept_log_ < kAcceptLogInterval) return;
  last_accept_log_ = now;
  log::error("net", fmt::format("can't accept clients: {}", error.message()));
}

void Server::Impl::admit(Socket client, session::ClientAuthentication authentication) noexcept {
  try {
    const bool is_vouched = authentication == session::ClientAuthentication::vouched;
    auto place = registry_.reserve(is_vouched ? kOwnNeighbourhood : neighbourhood_of(client));
    if (!place) {  // closes the client
      statistics_.put_out.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    if (place->gone_for_it) put_out(place->gone_for_it);
    drive(std::move(client), place->pid, authentication);
  } catch (const std::exception& exception) {
    log::error("net", "a client could not be admitted");
    log::private_detail("net", exception.what());
  }
}

void Server::Impl::put_out(const std::shared_ptr<SessionDriver>& driver) {
  statistics_.put_out.fetch_add(1, std::memory_order_relaxed);
  log::warning("net", fmt::format("a connection of {} that had not logged in is closed for another: "
                                  "limits.login_clients is reached",
                                  driver->info().client.host));
  driver->request_put_out();
}

void Server::Impl::drive(Socket client, SessionPid pid, session::ClientAuthentication authentication) {
  const std::uint64_t number = ++accepted_count_;
  statistics_.accepted.fetch_add(1, std::memory_order_relaxed);
  std::shared_ptr<SessionDriver> driver;
  try {
    driver = std::make_shared<SessionDriver>(environment_, std::move(client), pid, number, authentication);
  } catch (...) {
    registry_.release(pid);
    throw;
  }
  registry_.attach(pid, driver);
  const console::Address peer = driver->info().client;
  if (!peer.host.empty()) {
    log::info(fmt::format("session {}", number),
              peer.port == 0 ? "client " + peer.host : fmt::format("client {}:{}", peer.host, peer.port));
  }
  driver->start();
  // A client that was accepted just before we stopped listening. If we wait for clients to leave, it is one
  // of them.
  if (is_ending_)
    driver->request_shutdown();
  else if (ends_at_rest_)
    driver->request_end_at_rest();
}

// Runs on the thread that counts accepted clients.
Result<int> Server::Impl::connect_vouched() {
  if (is_stopping_)
    return Error{ErrorKind::limit, std::string(sqlstate::kCannotConnectNow), "pgveil is stopping"};
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{ErrorKind::io, std::string(sqlstate::kInternalError), "no connection could be made"};
  asio::basic_stream_socket<asio::local::stream_protocol, Executor> ours(contexts_.front()->get_executor());
  error_code error;
  ours.assign(asio::local::stream_protocol(), ends[0], error);
  if (error) {
    ::close(ends[0]);
    ::close(ends[1]);
    return Error{ErrorKind::io, std::string(sqlstate::kInternalError), "no connection could be made"};
  }
  asio::post(contexts_.front()->get_executor(), [this, client = Socket(std::move(ours))]() mutable {
    admit(std::move(client), session::ClientAuthentication::vouched);
  });
  return ends[1];
}

// ---- stop

void Server::Impl::stop_listening() {
  if (is_stopping_.exchange(true)) return;
  if (contexts_.empty()) return;
  asio::post(contexts_.front()->get_executor(), [this] {
    error_code ignored;
    if (acceptor_) acceptor_->close(ignored);
    if (local_acceptor_) local_acceptor_->close(ignored);
  });
}

void Server::Impl::end_sessions_at_rest() {
  ends_at_rest_ = true;
  for (const auto& driver : registry_.all()) driver->request_end_at_rest();
}

std::vector<console::SessionInfo> Server::Impl::sessions() const {
  std::vector<console::SessionInfo> out;
  for (const auto& driver : registry_.all()) out.push_back(driver->info());
  std::ranges::sort(out, {}, &console::SessionInfo::id);
  return out;
}

bool Server::Impl::kill(std::uint64_t session_id) {
  for (const auto& driver : registry_.all()) {
    if (driver->number() != session_id) continue;
    driver->request_shutdown();
    return true;
  }
  return false;
}

void Server::Impl::stop(std::chrono::milliseconds drain) {
  if (std::exchange(is_stopped_, true)) return;
  stop_listening();
  if (drain > drain.zero()) {
    end_sessions_at_rest();
    registry_.wait_until_empty(drain);
  }
  is_ending_ = true;
  for (const auto& driver : registry_.all()) driver->request_shutdown();
  if (!registry_.wait_until_empty(std::min(config_.close_timeout, kGoodbyeWait))) {
    const auto left = registry_.all();
    log::warning("net", fmt::format("{} sessions did not end in time and are closed", left.size()));
    for (const auto& driver : left) driver->request_abort();
    registry_.wait_until_empty(kAbortWait);
  }
  pools_.close();  // a PAUSE may be waiting on the console's threads
  console_pool_.stop();
  look_up_pool_.stop();
  password_pool_.stop();
  console_threads_.join();
  look_up_threads_.join();
  password_threads_.join();  // at most as long as the command may take
  work_guards_.clear();
  for (const auto& context : contexts_) context->stop();
  threads_.join();
  pools_.close();  // closes what was given back since
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  impl_->stop(std::chrono::milliseconds(0));
}

Result<std::unique_ptr<Server>> Server::start(ServerConfig config, session::Gate& gate,
                                              console::Console& console) {
  std::unique_ptr<Server> server(new Server(std::make_unique<Impl>(std::move(config), gate, console)));
  if (auto started = server->impl_->start(); started.has_error()) return started.error();
  return server;
}

std::uint16_t Server::port() const {
  return impl_->port();
}

std::size_t Server::client_count() const {
  return impl_->client_count();
}

std::size_t Server::count_logging_in() const {
  return impl_->count_logging_in();
}

std::vector<console::SessionInfo> Server::sessions() const {
  return impl_->sessions();
}

const Statistics& Server::statistics() const {
  return impl_->statistics();
}

Pools& Server::pools() {
  return impl_->pools();
}

const Pools& Server::pools() const {
  return impl_->pools();
}

bool Server::kill(std::uint64_t session_id) {
  return impl_->kill(session_id);
}

Result<int> Server::connect_vouched() {
  return impl_->connect_vouched();
}

void Server::stop_listening() {
  impl_->stop_listening();
}

bool Server::is_listening() const {
  return impl_->is_listening();
}

void Server::end_sessions_at_rest() {
  impl_->end_sessions_at_rest();
}

void Server::stop(std::chrono::milliseconds drain) {
  impl_->stop(drain);
}

}  // namespace pgveil::net
