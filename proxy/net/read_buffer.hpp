#pragma once
// The buffer of one read loop: small for sessions that say little, large once a read has filled it.
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <string_view>
#include <vector>

namespace pgveil::net {

class ReadBuffer {
 public:
  [[nodiscard]] boost::asio::mutable_buffer space() { return boost::asio::buffer(bytes_); }

  // The first size_bytes of space(), after a read. Valid until the next call.
  [[nodiscard]] std::string_view received(std::size_t size_bytes) const {
    return {bytes_.data(), size_bytes};
  }

  // Call when done with received(size_bytes).
  void adapt(std::size_t size_bytes) {
    if (size_bytes == bytes_.size() && size_bytes < kLargeBytes) bytes_.assign(kLargeBytes, '\0');
  }

 private:
  static constexpr std::size_t kSmallBytes = 8 * 1024;
  static constexpr std::size_t kLargeBytes = 64 * 1024;
  std::vector<char> bytes_ = std::vector<char>(kSmallBytes);
};

}  // namespace pgveil::net
