#pragma once
// Appends fields to a message body. Something that cannot be written as it is (a NUL inside a text, a list or
// value longer than its count can express) is a bug of the caller and ends the session (common/assert.hpp),
// because a frame that means something else must never be made.
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "common/assert.hpp"
#include "proxy/wire/primitives.hpp"

namespace pgveil::wire {

class Writer {
 public:
  // out must outlive the writer.
  explicit Writer(std::string& out) : out_(out) {}

  void write(std::int8_t value) { put_integer(static_cast<std::uint8_t>(value), 1); }
  void write(std::int16_t value) { put_integer(static_cast<std::uint16_t>(value), 2); }
  void write(std::uint16_t value) { put_integer(value, 2); }
  void write(std::int32_t value) { put_integer(static_cast<std::uint32_t>(value), 4); }
  void write(std::uint32_t value) { put_integer(value, 4); }
  void write(const std::string& text);
  void write(const Value& value);
  void write(const Rest& rest) { out_.append(rest.bytes); }
  void write(const CancelSecret& secret);
  void write(const CountedNames& names);
  void write(const EndedNames& names);
  void write(const Diagnostics& diagnostics);
  void write(const std::array<unsigned char, 4>& bytes) { out_.append(bytes.begin(), bytes.end()); }
  void write(Target target) { out_.push_back(static_cast<char>(target)); }
  void write(TransactionStatus status) { out_.push_back(static_cast<char>(status)); }

  template <class T>
  void write(const std::vector<T>& elements) {
    PGVEIL_ASSERT(elements.size() <= 0xffff);
    write(static_cast<std::uint16_t>(elements.size()));
    for (const T& element : elements) write(element);
  }

  template <class Message>
  requires requires { Message::fields(); }
  void write(const Message& message) {
    std::apply([&](auto... member) { (write(message.*member), ...); }, Message::fields());
  }

 private:
  void put_integer(std::uint32_t value, int size);

  std::string& out_;
};

}  // namespace pgveil::wire
