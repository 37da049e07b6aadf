#pragma once
// Bytes that wait for a socket that did not accept them at once. An empty queue owns no memory, because most
// connections are idle. No I/O. Not thread-safe.
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <list>
#include <span>
#include <string>
#include <vector>

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
  std::list<std::string> pieces_;
  std::size_t first_offset_ = 0;  // bytes of pieces_.front() that are already written
  std::size_t size_bytes_ = 0;
  // The pieces that front() lent out: their memory must not move.
  std::vector<boost::asio::const_buffer> lent_;
};

}  // namespace pgveil::net
