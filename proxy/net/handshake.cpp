#include "proxy/net/handshake.hpp"

#include <array>
#include <boost/asio/write.hpp>
#include <string>

#include "common/sqlstate.hpp"

namespace pgveil::net {
namespace {

Error broken_off(const error_code& error) {
  return {ErrorKind::connection, std::string(sqlstate::kConnectionFailure),
          "the TLS handshake was broken off", "", error.message()};
}

}  // namespace

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

}  // namespace pgveil::net
