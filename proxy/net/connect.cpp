#include "proxy/net/connect.hpp"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "proxy/net/link.hpp"
#include "proxy/wire/startup.hpp"

namespace pgveil::net {
namespace {

using namespace asio::experimental::awaitable_operators;
using Resolver = asio::ip::basic_resolver<tcp, Executor>;

Error not_connected(std::string what, std::string detail) {
  return {ErrorKind::connection, std::string(sqlstate::kSqlclientUnableToEstablish), std::move(what),
          "is the database server up?", std::move(detail)};
}

// An address needs no name server, and so no help of the resolver's thread.
Task<std::pair<error_code, std::vector<tcp::endpoint>>> resolve(const Executor& executor, Endpoint target) {
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

}  // namespace

Task<Result<Socket>> connect(Endpoint target, std::chrono::milliseconds timeout) {
  const Executor executor = co_await asio::this_coro::executor;
  Timer timer(executor, timeout);
  const auto [unknown, endpoints] = co_await resolve(executor, std::move(target));
  if (unknown) co_return not_connected("the database server's host name is not known", unknown.message());

  Socket socket(executor);
  const auto outcome =
      co_await (asio::async_connect(socket, endpoints, kAsTuple) || timer.async_wait(kAsTuple));
  if (outcome.index() == 1) co_return not_connected("the database server did not answer in time", "time-out");
  if (const error_code error = std::get<0>(std::get<0>(outcome))) {
    co_return not_connected("the database server can't be reached", error.message());
  }
  co_return socket;
}

Task<void> forward_cancel(Endpoint target, std::chrono::milliseconds timeout, std::uint32_t pid,
                          std::uint32_t secret) {
  const Executor executor = co_await asio::this_coro::executor;
  auto connected = co_await connect(std::move(target), timeout);
  if (connected.has_error()) {
    log::warning("cancel", one_line(connected.error()));
    co_return;
  }
  std::string packet;
  wire::encode(wire::CancelRequest{pid, secret}, packet);
  Timer timer(executor, timeout);
  const auto sent =
      co_await (asio::async_write(*connected, asio::buffer(packet), kAsTuple) || timer.async_wait(kAsTuple));
  if (sent.index() == 1 || std::get<0>(std::get<0>(sent))) co_return;
  // The server acts on the request, then closes. Closing first would be taken for a broken packet by some
  // poolers.
  std::array<char, 64> nothing{};
  static_cast<void>(
      co_await (connected->async_read_some(asio::buffer(nothing), kAsTuple) || timer.async_wait(kAsTuple)));
}

}  // namespace pgveil::net
