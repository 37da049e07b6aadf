#pragma once
// The kinds of field that PostgreSQL's protocol 3 builds its messages from, where a plain C++ type does not
// say which. Plain ones: std::string is text ended by NUL, std::vector<T> is a 16-bit count and its elements,
// integers are big-endian in their own width.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pgveil::wire {

// A 32-bit length and that many bytes; length -1 is SQL NULL.
using Value = std::optional<std::string>;

// All bytes up to the end of the message.
struct Rest {
  std::string bytes;
  bool operator==(const Rest&) const = default;
};

// The secret part of a cancel key: all bytes up to the end of the message, from 4 to 256. At protocol 3.0 it
// has 4 bytes. Any other length is malformed.
struct CancelSecret {
  static constexpr std::size_t kMinBytes = 4;
  static constexpr std::size_t kMaxBytes = 256;
  std::string bytes = std::string(kMinBytes, '\0');
  bool operator==(const CancelSecret&) const = default;
};

// Texts with a 32-bit count before them (NegotiateProtocolVersion).
struct CountedNames {
  std::vector<std::string> names;
  bool operator==(const CountedNames&) const = default;
};

// Texts up to an empty one (the mechanisms of AuthenticationSASL).
struct EndedNames {
  std::vector<std::string> names;
  bool operator==(const EndedNames&) const = default;
};

// (code, text) pairs up to a zero byte: ErrorResponse and NoticeResponse. The codes are PostgreSQL's
// one-letter ones.
struct Diagnostics {
  std::vector<std::pair<char, std::string>> fields;
  bool operator==(const Diagnostics&) const = default;

  // The first field with this code; empty when there is none.
  [[nodiscard]] const std::string* find(char code) const {
    for (const auto& [key, text] : fields) {
      if (key == code) return &text;
    }
    return nullptr;
  }
};

// What Describe and Close refer to. Any other byte is malformed.
enum class Target : char { statement = 'S', portal = 'P' };

// What ReadyForQuery reports. Any other byte is malformed.
enum class TransactionStatus : char { idle = 'I', in_block = 'T', failed = 'E' };

}  // namespace pgveil::wire
