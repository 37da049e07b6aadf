#pragma once
// Bytes on their way to a socket that did not take them at once. No I/O. Not thread-safe.
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

  // The front of the queue, to be gathered into one write. Valid until the next take() or clear(); push()
  // does not touch it.
  [[nodiscard]] std::span<const boost::asio::const_buffer> front();

  // size_bytes of front() were written.
  void take(std::size_t size_bytes);

  // REQUIRES: no write of front() is under way.
  void clear();

 private:
  std::deque<std::string> pieces_;
  std::size_t first_offset_ = 0;  // bytes of pieces_.front() that are written
  std::size_t size_bytes_ = 0;
  std::size_t lent_count_ = 0;  // pieces that front() lent out: their memory must not move
  std::array<boost::asio::const_buffer, 16> lent_;
};

}  // namespace pgveil::net
