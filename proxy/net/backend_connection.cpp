#include "proxy/net/backend_connection.hpp"

#include <sys/socket.h>

#include <array>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <string>

#include "proxy/wire/codec.hpp"

namespace pgveil::net {
namespace {

using namespace asio::experimental::awaitable_operators;

constexpr std::size_t kAnswerLimitBytes = 64 << 10;  // of one message in the answer to DISCARD ALL

enum class Answer { under_way, done, broken };

Answer take_frame(const wire::FrameView& frame, session::BackendState& state) {
  switch (frame.tag) {
    case wire::CommandComplete::tag:
    case wire::NoticeResponse::tag: return Answer::under_way;
    case wire::ParameterStatus::tag: {
      const auto status = wire::decode_as<wire::ParameterStatus>(frame.body);
      if (!status) return Answer::broken;
      session::note_parameter(state, status->name, status->value);
      return Answer::under_way;
    }
    case wire::ReadyForQuery::tag: {
      const auto ready = wire::decode_as<wire::ReadyForQuery>(frame.body);
      return ready && ready->status == wire::TransactionStatus::idle ? Answer::done : Answer::broken;
    }
    default: return Answer::broken;
  }
}

Answer take_frames(wire::Framer& framer, session::BackendState& state) {
  for (;;) {
    const auto frame = framer.peek();
    if (!frame) return Answer::broken;
    if (!*frame) return Answer::under_way;
    const Answer answer = take_frame(**frame, state);
    framer.pop(**frame);
    if (answer == Answer::under_way) continue;
    return answer == Answer::done && framer.size() == 0 ? Answer::done : Answer::broken;
  }
}

Task<bool> discard_all(BackendPtr connection) {
  std::string request;
  wire::encode(wire::Query{.sql = "DISCARD ALL"}, request);
  if (connection->link.send(std::move(request)) != PeerConnection::Sent::all) co_return false;
  wire::Framer framer(kAnswerLimitBytes);
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto [error, count] =
        co_await connection->link.socket().async_read_some(asio::buffer(buffer), kAsTuple);
    if (error) co_return false;
    const auto received = connection->link.receive({buffer.data(), count});
    if (received.has_error() || received->is_end) co_return false;
    framer.feed(received->bytes);
    const Answer answer = take_frames(framer, *connection->state);
    framer.keep();
    if (answer != Answer::under_way) co_return answer == Answer::done;
  }
}

}  // namespace

bool is_quiet(BackendConnection& connection) {
  if (!connection.link.is_open() || connection.link.is_broken()) return false;
  char byte = 0;
  const auto count = ::recv(connection.link.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

Task<bool> clean(BackendPtr connection, std::chrono::milliseconds timeout) {
  Timer timer(connection->link.socket().get_executor(), timeout);
  const auto outcome = co_await (discard_all(connection) || timer.async_wait(kAsTuple));
  if (outcome.index() == 1 || !std::get<0>(outcome)) co_return false;
  session::BackendState& state = *connection->state;
  session::note_settings(state, {});
  state.statements.forget_all();
  state.knows_statements = true;
  state.unnamed.clear();
  state.is_soiled = false;
  co_return true;
}

}  // namespace pgveil::net
