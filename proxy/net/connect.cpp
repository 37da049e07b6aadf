#include "proxy/net/connect.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/keep_alive.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "proxy/net/peer_connection.hpp"
#include "proxy/net/unix_socket.hpp"

namespace pgveil::net {
namespace {

using namespace asio::experimental::awaitable_operators;
using Resolver = asio::ip::basic_resolver<tcp, Executor>;

Error not_connected(std::string what, std::string detail) {
  return {ErrorKind::connection, std::string(sqlstate::kSqlclientUnableToEstablish), std::move(what),
          "is the database server up?", std::move(detail)};
}

Error broken_off(const error_code& error) {
  return {ErrorKind::connection, std::string(sqlstate::kConnectionFailure),
          "the TLS handshake was broken off", "", error.message()};
}

// REQUIRES: nobody else reads from or writes to the socket meanwhile.
Task<Result<void>> shake_hands(Socket& socket, TlsSession& tls) {
  std::array<char, 4096> buffer{};
  std::size_t count = 0;
  for (;;) {
    const auto is_done = tls.shake_hands({buffer.data(), count});
    const std::string output = tls.take_output();
    const auto [unsent, sent] = co_await asio::async_write(socket, asio::buffer(output), kAsTuple);
    if (!is_done) co_return is_done.error();
    if (unsent) co_return broken_off(unsent);
    if (*is_done) co_return Result<void>();
    const auto [unread, size] = co_await socket.async_read_some(asio::buffer(buffer), kAsTuple);
    if (unread) co_return broken_off(unread);
    count = size;
  }
}

// An address needs no name server, so it is not passed to the resolver's thread.
Task<std::pair<error_code, std::vector<tcp::endpoint>>> resolve(const Executor& executor, HostPort target) {
  error_code not_an_address;
  const auto address = asio::ip::make_address(target.host, not_an_address);
  if (!not_an_address) co_return std::pair{error_code{}, std::vector{tcp::endpoint(address, target.port)}};
  Resolver resolver(executor);
  const auto [error, found] =
      co_await resolver.async_resolve(target.host, std::to_string(target.port), kAsTuple);
  std::vector<tcp::endpoint> endpoints;
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  co_return std::pair{error, std::move(endpoints)};
}

Error not_secured(std::string what) {
  return {ErrorKind::connection, std::string(sqlstate::kSqlclientUnableToEstablish),
          "the database server gives no TLS connection", "", std::move(what)};
}

// Direct TLS is not asked for. The answer is read as exactly one byte, so that nothing that a third party
// appended can be taken for the server's words.
Task<Result<void>> begin_tls(Socket& socket, TlsSession& tls) {
  if (tls.alpn() == Alpn::required) co_return co_await shake_hands(socket, tls);
  std::string request;
  wire::encode(wire::SslRequest{}, request);
  const auto [unsent, sent] = co_await asio::async_write(socket, asio::buffer(request), kAsTuple);
  if (unsent) co_return not_secured(unsent.message());
  std::array<char, 1> answer{};
  const auto [unread, size] = co_await asio::async_read(socket, asio::buffer(answer), kAsTuple);
  if (unread) co_return not_secured(unread.message());
  if (answer[0] != 'S') co_return not_secured(answer[0] == 'N' ? "it has none" : "it answered out of turn");
  co_return co_await shake_hands(socket, tls);
}

Task<Result<void>> secure(Socket& socket, TlsSession& tls, Timer& timer) {
  auto outcome = co_await (begin_tls(socket, tls) || timer.async_wait(kAsTuple));
  if (outcome.index() == 1) co_return not_connected("the database server did not answer in time", "time-out");
  co_return std::get<0>(std::move(outcome));
}

// Handles both kinds of socket. Fails unless connected before the timer ends.
template <class Protocol>
Task<Result<Socket>> open_socket(const Executor& executor, std::vector<typename Protocol::endpoint> endpoints,
                                 Timer& timer) {
  asio::basic_stream_socket<Protocol, Executor> socket(executor);
  const auto outcome =
      co_await (asio::async_connect(socket, endpoints, kAsTuple) || timer.async_wait(kAsTuple));
  if (outcome.index() == 1) co_return not_connected("the database server did not answer in time", "time-out");
  if (const error_code error = std::get<0>(std::get<0>(outcome)))
    co_return not_connected("the database server can't be reached", error.message());
  co_return Socket(std::move(socket));
}

Task<Result<Socket>> open_local(const Executor& executor, const HostPort& target, Timer& timer) {
  using Local = asio::local::stream_protocol;
  const std::string path = unix_socket_path(target.host, target.port);
  if (path.size() > kMaxSocketPathBytes)
    co_return not_connected("the database server can't be reached", "the path of its socket is too long");
  std::vector<Local::endpoint> endpoints;
  endpoints.emplace_back(path);
  co_return co_await open_socket<Local>(executor, std::move(endpoints), timer);
}

// A kernel without these options keeps its own times.
void set_keep_alive_times(Socket& socket) {
  const auto set = [&](int option, int value) {
    static_cast<void>(::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value));
  };
  set(TCP_KEEPIDLE, kServerKeepAlive.idle_seconds);
  set(TCP_KEEPINTVL, kServerKeepAlive.interval_seconds);
  set(TCP_KEEPCNT, kServerKeepAlive.probes);
}

Task<Result<Socket>> open_tcp(const Executor& executor, HostPort target, Timer& timer) {
  const auto [unknown, endpoints] = co_await resolve(executor, std::move(target));
  if (unknown) co_return not_connected("the database server's host name is not known", unknown.message());
  auto opened = co_await open_socket<tcp>(executor, endpoints, timer);
  if (opened.has_value()) set_keep_alive_times(*opened);
  co_return opened;
}

// Over TLS a server may send something before it acts.
Task<void> read_to_end(Socket& socket) {
  std::array<char, 1024> nothing{};
  for (;;) {
    const auto [error, count] = co_await socket.async_read_some(asio::buffer(nothing), kAsTuple);
    if (error) co_return;
  }
}

}  // namespace

Task<Result<Connection>> connect(HostPort target, std::chrono::milliseconds timeout,
                                 std::shared_ptr<const TlsContext> tls) {
  const Executor executor = co_await asio::this_coro::executor;
  Timer timer(executor, timeout);
  Result<Socket> socket = not_connected("the database server can't be reached", "");
  if (target.host.starts_with('/')) {
    socket = co_await open_local(executor, target, timer);
  } else {
    socket = co_await open_tcp(executor, target, timer);
  }
  if (socket.has_error()) co_return socket.error();
  Connection connection{std::move(*socket), nullptr};
  if (tls) {
    const Alpn alpn = tls->is_direct() ? Alpn::required : Alpn::offered;
    connection.tls = std::make_unique<TlsSession>(*tls, alpn);
    const auto secured = co_await secure(connection.socket, *connection.tls, timer);
    if (secured.has_error()) co_return secured.error();
  }
  co_return connection;
}

Task<bool> forward_cancel(HostPort target, std::chrono::milliseconds timeout,
                          std::shared_ptr<const TlsContext> tls, wire::CancelRequest request) {
  const Executor executor = co_await asio::this_coro::executor;
  auto connected = co_await connect(std::move(target), timeout, std::move(tls));
  if (connected.has_error()) {
    log::warning("cancel", one_line(connected.error()));
    co_return true;
  }
  std::string packet;
  wire::encode(request, packet);
  if (connected->tls) packet = connected->tls->seal(packet);
  Timer timer(executor, timeout);
  const auto sent = co_await (asio::async_write(connected->socket, asio::buffer(packet), kAsTuple) ||
                              timer.async_wait(kAsTuple));
  if (sent.index() == 1 || std::get<0>(std::get<0>(sent))) co_return false;
  // The server acts on the request and then closes. Some poolers would take it for a broken packet if we
  // closed first.
  const auto heard = co_await (read_to_end(connected->socket) || timer.async_wait(kAsTuple));
  co_return heard.index() == 0;
}

}  // namespace pgveil::net
