#include "proxy/wire/codec.hpp"

#include <optional>
#include <type_traits>

namespace pgveil::wire {

namespace {

template <class Message>
bool is_kind(const FrameView& frame) {
  if (frame.tag != Message::tag) return false;
  if constexpr (requires { Message::code; }) {
    Reader reader(frame.body.substr(0, 4));
    std::int32_t code = 0;
    reader.read(code);
    return reader.finished() && code == Message::code;
  }
  return true;
}

// Tries the alternatives in order; the tags (with the codes) are disjoint, so at most one matches.
template <class Variant, class... Messages>
Result<Variant> decode_one_of(const FrameView& frame, std::type_identity<std::variant<Messages...>>) {
  std::optional<Result<Variant>> decoded;
  const auto try_one = [&]<class Message>(std::type_identity<Message>) {
    if (!is_kind<Message>(frame)) return false;
    auto message = decode_as<Message>(frame.body);
    if (message) {
      decoded.emplace(Variant(std::move(*message)));
    } else {
      decoded.emplace(message.error());
    }
    return true;
  };
  const bool is_known = (try_one(std::type_identity<Messages>()) || ...);
  return is_known ? std::move(*decoded) : protocol_error("unknown message");
}

}  // namespace

Error protocol_error(std::string_view what) {
  return {.kind = ErrorKind::protocol, .sqlstate = "08P01", .public_message = std::string(what)};
}

void close_frame(std::string& out, std::size_t at) {
  const std::size_t length = out.size() - at;
  PGVEIL_ASSERT(length <= 0x7fffffff);
  for (std::size_t i = 0; i < 4; ++i) out[at + i] = static_cast<char>(length >> (24 - 8 * i) & 0xff);
}

Result<FrontendMessage> decode_frontend(const FrameView& frame) {
  return decode_one_of<FrontendMessage>(frame, std::type_identity<FrontendMessage>());
}

Result<BackendMessage> decode_backend(const FrameView& frame) {
  return decode_one_of<BackendMessage>(frame, std::type_identity<BackendMessage>());
}

}  // namespace pgveil::wire
