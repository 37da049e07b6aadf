#pragma once
// Cuts a byte stream into frames, whatever chunks it comes in. It knows lengths and a limit, but not what a
// tag means.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::wire {

// A frame inside the framer's bytes. Valid until the next feed() or keep() of that framer.
struct FrameView {
  char tag = '\0';         // '\0' for start-up packets, which have none
  std::string_view body;   // after the length
  std::string_view whole;  // tag, length and body: append it to pass the frame on as it is
};

// Invariant: the bytes that were not popped are either a view of the last fed chunk or a copy in buffer_,
// never split between the two.
class Framer {
 public:
  // limit_bytes: longest body accepted.
  explicit Framer(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  Framer(const Framer&) = delete;
  Framer& operator=(const Framer&) = delete;

  void set_limit(std::size_t limit_bytes) { limit_bytes_ = limit_bytes; }

  // bytes must stay valid until keep(): the chunk is cut in place, and only the rest is copied.
  void feed(std::string_view bytes);
  // Puts frames before all that was not popped. REQUIRES: keep() was called since the last feed().
  void put_back(std::string_view frames);
  // Call this when done with a chunk.
  void keep();

  // The next whole frame, or nullopt if it has not fully arrived. Errors (08P01): a length below its own
  // size, or a body above the limit; both are found as soon as the length has arrived. Calling it again
  // returns the same frame until pop().
  [[nodiscard]] Result<std::optional<FrameView>> peek() const { return peek_at(1); }
  [[nodiscard]] Result<std::optional<FrameView>> peek_startup() const { return peek_at(0); }
  // The tag of the next frame as soon as it has arrived, before its length and body. Not for start-up
  // packets.
  [[nodiscard]] std::optional<char> next_tag() const {
    return left_.empty() ? std::nullopt : std::optional(left_.front());
  }
  // REQUIRES: the last peek gave this frame.
  void pop(const FrameView& frame);

  // Discards what is left, because the stream ended here. Another stream begins with the next feed().
  void drop() {
    left_ = {};
    is_borrowed_ = false;
  }

  // Bytes fed and not popped.
  [[nodiscard]] std::size_t size() const { return left_.size(); }

 private:
  [[nodiscard]] Result<std::optional<FrameView>> peek_at(std::size_t tag_size) const;

  std::size_t limit_bytes_;
  std::string buffer_;
  std::string_view left_;
  bool is_borrowed_ = false;
};

}  // namespace pgveil::wire
