#include "proxy/net/turn_away.hpp"

#include <array>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <string>
#include <utility>

#include "common/sqlstate.hpp"
#include "proxy/net/link.hpp"
#include "proxy/net/session_driver.hpp"
#include "proxy/wire/codec.hpp"
#include "proxy/wire/startup.hpp"

namespace pgveil::net {
namespace {

using namespace asio::experimental::awaitable_operators;

constexpr std::size_t kStartupLimitBytes = 10'000;  // PostgreSQL's MAX_STARTUP_PACKET_LENGTH
constexpr int kMaxPackets = 3;                      // SSLRequest, GSSENCRequest, StartupMessage

std::string too_many_connections() {
  wire::ErrorResponse response;
  response.diagnostics.fields = {{'S', "FATAL"},
                                 {'V', "FATAL"},
                                 {'C', std::string(sqlstate::kTooManyConnections)},
                                 {'M', "too many connections"},
                                 {'H', "try again later, or have max_clients raised"}};
  std::string out;
  wire::encode(response, out);
  return out;
}

// Nothing: the packet was no proper one, or the client went.
Task<std::optional<wire::StartupPacket>> read_packet(Socket& client, wire::Framer& framer) {
  std::array<char, 1024> buffer{};
  for (;;) {
    const auto frame = framer.peek_startup();
    if (frame.has_error()) co_return std::nullopt;
    if (*frame) {
      auto packet = wire::decode_startup((*frame)->body);
      framer.pop(**frame);
      if (packet.has_error()) co_return std::nullopt;
      co_return std::move(*packet);
    }
    const auto [error, count] = co_await client.async_read_some(asio::buffer(buffer), kAsTuple);
    if (error) co_return std::nullopt;
    framer.feed({buffer.data(), count});
    framer.keep();
  }
}

Task<void> converse(Socket& client, Registry& registry) {
  wire::Framer framer(kStartupLimitBytes);
  for (int i = 0; i < kMaxPackets; ++i) {
    const auto packet = co_await read_packet(client, framer);
    if (!packet) co_return;
    if (const auto* cancel = std::get_if<wire::CancelRequest>(&*packet)) {
      if (const auto driver = registry.find({cancel->pid, cancel->secret})) driver->request_cancel();
      co_return;
    }
    const bool is_last = std::holds_alternative<wire::StartupMessage>(*packet);
    const std::string answer = is_last ? too_many_connections() : "N";
    const auto [error, count] = co_await asio::async_write(client, asio::buffer(answer), kAsTuple);
    if (error || is_last) co_return;
  }
}

}  // namespace

Task<void> turn_away(Socket client, Registry& registry, std::chrono::milliseconds timeout) {
  configure_socket(client);
  Timer timer(co_await asio::this_coro::executor, timeout);
  static_cast<void>(co_await (converse(client, registry) || timer.async_wait(kAsTuple)));
}

}  // namespace pgveil::net
