#pragma once
// Takes fields from the front of a message body. The error is sticky: after the first field that does not
// fit, all others read as empty values, so callers check once, with finished(). No length is used before it
// is checked against the bytes that are left, and no memory is reserved because a peer announces a size.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "proxy/wire/primitives.hpp"

namespace pgveil::wire {

class Reader {
 public:
  // The bytes must outlive the reader; what it reads is copied.
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  // True if every field fitted and nothing is left.
  [[nodiscard]] bool finished() const { return !has_failed_ && left_.empty(); }
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] std::size_t left() const { return left_.size(); }

  void read(std::int8_t& out) { out = static_cast<std::int8_t>(take_integer(1)); }
  void read(std::int16_t& out) { out = static_cast<std::int16_t>(take_integer(2)); }
  void read(std::uint16_t& out) { out = static_cast<std::uint16_t>(take_integer(2)); }
  void read(std::int32_t& out) { out = static_cast<std::int32_t>(take_integer(4)); }
  void read(std::uint32_t& out) { out = take_integer(4); }
  void read(std::string& out);
  void read(Value& out);
  void read(Rest& out) { out.bytes = std::string(take(left_.size())); }
  void read(CancelSecret& out);
  void read(CountedNames& out);
  void read(EndedNames& out);
  void read(Diagnostics& out);
  void read(std::array<unsigned char, 4>& out);
  void read(Target& out);
  void read(TransactionStatus& out);

  template <class T>
  void read(std::vector<T>& out) {
    std::uint16_t count = 0;
    read(count);
    for (std::uint16_t i = 0; i < count && !has_failed_; ++i) read(out.emplace_back());
  }

  template <class Message>
  requires requires { Message::fields(); }
  void read(Message& out) {
    std::apply([&](auto... member) { (read(out.*member), ...); }, Message::fields());
  }

 private:
  std::string_view take(std::size_t size);
  std::uint32_t take_integer(std::size_t size);
  void fail();

  std::string_view left_;
  bool has_failed_ = false;
};

}  // namespace pgveil::wire
