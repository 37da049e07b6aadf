#include "proxy/net/turn_away.hpp"

#include <array>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <string>
#include <utility>

#include "common/sqlstate.hpp"
#include "proxy/net/handshake.hpp"
#include "proxy/net/link.hpp"
#include "proxy/net/session_driver.hpp"
#include "proxy/wire/codec.hpp"
#include "proxy/wire/startup.hpp"

namespace pgveil::net {
namespace {

using namespace asio::experimental::awaitable_operators;

constexpr std::size_t kStartupLimitBytes = 10'000;  // PostgreSQL's MAX_STARTUP_PACKET_LENGTH
constexpr std::string_view kDeclined = "N";         // our answers to requests for encryption
constexpr std::string_view kAccepted = "S";
constexpr int kMaxPackets = 3;  // SSLRequest, GSSENCRequest, StartupMessage

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

// One client, and what was begun with it.
struct Visitor {
  Socket& socket;
  const TlsSettings& settings;
  wire::Framer framer{kStartupLimitBytes};
  std::unique_ptr<TlsSession> tls = nullptr;
};

// False: the client went, or broke its TLS.
Task<bool> read_some(Visitor& visitor) {
  std::array<char, 1024> buffer{};
  const auto [error, count] = co_await visitor.socket.async_read_some(asio::buffer(buffer), kAsTuple);
  if (error) co_return false;
  std::string_view bytes(buffer.data(), count);
  auto received = visitor.tls ? visitor.tls->receive(bytes) : TlsSession::Received{std::string(bytes)};
  if (!received || received->is_end) co_return false;
  visitor.framer.feed(received->bytes);
  visitor.framer.keep();
  co_return true;
}

// Nothing: the packet was no proper one, or the client went.
Task<std::optional<wire::StartupPacket>> read_packet(Visitor& visitor) {
  wire::Framer& framer = visitor.framer;
  for (;;) {
    const auto frame = framer.peek_startup();
    if (frame.has_error()) co_return std::nullopt;
    if (*frame) {
      auto packet = wire::decode_startup((*frame)->body);
      framer.pop(**frame);
      if (packet.has_error()) co_return std::nullopt;
      co_return std::move(*packet);
    }
    if (!co_await read_some(visitor)) co_return std::nullopt;
  }
}

// text outlives the coroutine.
Task<bool> say(Visitor& visitor, std::string_view text) {
  const std::string sealed = visitor.tls ? visitor.tls->seal(text) : std::string(text);
  const auto [error, count] = co_await asio::async_write(visitor.socket, asio::buffer(sealed), kAsTuple);
  co_return !error;
}

// Nothing that came in the clear behind the request is heard, and no TLS is begun inside TLS.
Task<bool> begin_tls(Visitor& visitor) {
  const TlsContext* context = visitor.settings.clients.get();
  if (context == nullptr) co_return co_await say(visitor, kDeclined);
  if (visitor.tls || visitor.framer.size() > 0) co_return false;
  if (!co_await say(visitor, kAccepted)) co_return false;
  visitor.tls = std::make_unique<TlsSession>(*context);
  const auto done = co_await shake_hands(visitor.socket, *visitor.tls);
  if (done.has_error()) co_return false;
  auto first = visitor.tls->receive({});
  if (!first || first->is_end) co_return false;
  visitor.framer.feed(first->bytes);
  visitor.framer.keep();
  co_return true;
}

Task<void> converse(Socket& client, Registry& registry, const TlsSettings& settings) {
  Visitor visitor{client, settings};
  const std::string too_many = too_many_connections();
  for (int i = 0; i < kMaxPackets; ++i) {
    const auto packet = co_await read_packet(visitor);
    if (!packet) co_return;
    if (const auto* cancel = std::get_if<wire::CancelRequest>(&*packet)) {
      if (const auto driver = registry.find({cancel->pid, cancel->secret})) driver->request_cancel();
      co_return;
    }
    if (std::holds_alternative<wire::StartupMessage>(*packet)) {
      static_cast<void>(co_await say(visitor, too_many));
      co_return;
    }
    // Two statements, not one with `?:`: GCC 12 destroys a coroutine twice there.
    bool goes_on = false;
    if (std::holds_alternative<wire::SslRequest>(*packet)) {
      goes_on = co_await begin_tls(visitor);
    } else {
      goes_on = co_await say(visitor, kDeclined);
    }
    if (!goes_on) co_return;
  }
}

}  // namespace

Task<void> turn_away(Socket client, Registry& registry, std::shared_ptr<const TlsSettings> tls,
                     std::chrono::milliseconds timeout) {
  configure_socket(client);
  Timer timer(co_await asio::this_coro::executor, timeout);
  static_cast<void>(co_await (converse(client, registry, *tls) || timer.async_wait(kAsTuple)));
}

}  // namespace pgveil::net
