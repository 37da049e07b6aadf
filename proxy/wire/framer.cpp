#include "proxy/wire/framer.hpp"

#include <utility>

#include "common/assert.hpp"
#include "proxy/wire/codec.hpp"
#include "proxy/wire/reader.hpp"

namespace pgveil::wire {

namespace {
constexpr std::size_t kLengthSize = 4;
}

void Framer::feed(std::string_view bytes) {
  PGVEIL_ASSERT(!is_borrowed_);
  if (left_.empty()) {
    buffer_.clear();
    left_ = bytes;
    is_borrowed_ = true;
    return;
  }
  buffer_.erase(0, buffer_.size() - left_.size());
  buffer_.append(bytes);
  left_ = buffer_;
}

void Framer::put_back(std::string_view frames) {
  PGVEIL_ASSERT(!is_borrowed_);
  std::string all(frames);
  all.append(left_);
  buffer_ = std::move(all);
  left_ = buffer_;
}

void Framer::keep() {
  if (!is_borrowed_) return;
  buffer_.assign(left_);
  left_ = buffer_;
  is_borrowed_ = false;
}

Result<std::optional<FrameView>> Framer::peek_at(std::size_t tag_size) const {
  const std::size_t header_size = tag_size + kLengthSize;
  if (left_.size() < header_size) return std::optional<FrameView>();
  Reader reader(left_.substr(tag_size, kLengthSize));
  std::uint32_t length = 0;
  reader.read(length);
  if (length < kLengthSize || length > kLengthSize + 0x7fffffffU)
    return protocol_error("malformed message length");
  const std::size_t body_size = length - kLengthSize;
  if (body_size > limit_bytes_) return protocol_error("message is too long");
  if (left_.size() < header_size + body_size) return std::optional<FrameView>();
  return std::optional(FrameView{.tag = tag_size == 0 ? '\0' : left_.front(),
                                 .body = left_.substr(header_size, body_size),
                                 .whole = left_.substr(0, header_size + body_size)});
}

void Framer::pop(const FrameView& frame) {
  PGVEIL_ASSERT(frame.whole.data() == left_.data() && frame.whole.size() <= left_.size());
  left_.remove_prefix(frame.whole.size());
}

}  // namespace pgveil::wire
