#pragma once
// Bytes that wait for a socket that did not accept them at once. No I/O. Not thread-safe.
#include <array>
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <deque>
#include <span>
#include <string>

namespace pgveil::net {

class WriteQueue {
 public:
  // Appends; small pieces are joined.
  void push(std::string bytes);

  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] bool is_empty() const { return size_bytes_ == 0; }

  // The front of the queue, gathered for one write. Valid until the next take() or clear(); push() does not
  // change it.
  [[nodiscard]] std::span<const boost::asio::const_buffer> front();

  // Call this when size_bytes of front() were written.
  void take(std::size_t size_bytes);

  // REQUIRES: no write of front() is under way.
  void clear();

 private:
  std::deque<std::string> pieces_;
  std::size_t first_offset_ = 0;  // bytes of pieces_.front() that are already written
  std::size_t size_bytes_ = 0;
  std::size_t lent_count_ = 0;  // pieces that front() lent out: their memory must not move
  std::array<boost::asio::const_buffer, 16> lent_;
};

}  // namespace pgveil::net
