#pragma once
// Messages to bytes and back, written once over the fields() of each message. What a message means, and
// whether it may come now, is the session's business (proxy/session/phase.hpp).
#include <concepts>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "proxy/wire/backend.hpp"
#include "proxy/wire/framer.hpp"
#include "proxy/wire/frontend.hpp"
#include "proxy/wire/reader.hpp"
#include "proxy/wire/writer.hpp"

namespace pgveil::wire {

// Makes an error of ErrorKind::protocol, 08P01. what: a fixed text.
[[nodiscard]] Error protocol_error(std::string_view what);

// Writes the length into a frame whose 4-byte length field, at `at`, was left open. The length includes
// itself.
void close_frame(std::string& out, std::size_t at);

// Appends the whole frame of one message.
template <class Message>
void encode(const Message& message, std::string& out) {
  out.push_back(Message::tag);
  const std::size_t length_at = out.size();
  out.append(4, '\0');
  Writer writer(out);
  if constexpr (requires { Message::code; }) writer.write(Message::code);
  writer.write(message);
  close_frame(out, length_at);
}

// Decodes a body as this message; the caller has checked the tag. Errors (08P01): a field does not fit, or
// bytes are left over.
template <class Message>
[[nodiscard]] Result<Message> decode_as(std::string_view body) {
  Reader reader(body);
  if constexpr (requires { Message::code; }) {
    std::int32_t code = 0;
    reader.read(code);
    if (code != Message::code) return protocol_error("malformed message");
  }
  Message message;
  reader.read(message);
  if (!reader.finished()) return protocol_error("malformed message");
  return message;
}

// Errors (08P01): unknown tag or authentication code, malformed body. 'p' is unknown here (frontend.hpp says
// why).
[[nodiscard]] Result<FrontendMessage> decode_frontend(const FrameView& frame);
[[nodiscard]] Result<BackendMessage> decode_backend(const FrameView& frame);

}  // namespace pgveil::wire
