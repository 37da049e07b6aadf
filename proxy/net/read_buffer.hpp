#pragma once
// The buffer of the read loop of one connection to the backend. It is small for quiet ones, grows each time a
// read fills it, and becomes small again after some reads that did not need more.
#include <algorithm>
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
    small_reads_ = size_bytes <= kSmallBytes / 2 ? std::min(small_reads_ + 1, kPatience) : 0;
    if (size_bytes == bytes_.size() && size_bytes < kLargeBytes) {
      bytes_ = std::vector<char>(std::min(size_bytes * kFactor, kLargeBytes));
    } else if (small_reads_ == kPatience && bytes_.size() > kSmallBytes) {
      bytes_ = std::vector<char>(kSmallBytes);
    }
  }

 private:
  static constexpr std::size_t kSmallBytes = 512;
  static constexpr std::size_t kLargeBytes = 64 * 1024;
  static constexpr std::size_t kFactor = 8;
  static constexpr int kPatience = 16;
  int small_reads_ = 0;
  std::vector<char> bytes_ = std::vector<char>(kSmallBytes);
};

}  // namespace pgveil::net
