#include "proxy/wire/writer.hpp"

#include <limits>

namespace pgveil::wire {

namespace {
constexpr auto kMaxLength = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
}

void Writer::put_integer(std::uint32_t value, int size) {
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
    out_.push_back(static_cast<char>(value >> shift & 0xff));
}

void Writer::write(const std::string& text) {
  PGVEIL_ASSERT(text.find('\0') == std::string::npos);
  out_.append(text);
  out_.push_back('\0');
}

void Writer::write(const Value& value) {
  if (!value) return write(std::int32_t{-1});
  PGVEIL_ASSERT(value->size() <= kMaxLength);
  write(static_cast<std::int32_t>(value->size()));
  out_.append(*value);
}

void Writer::write(const CancelSecret& secret) {
  PGVEIL_ASSERT(secret.bytes.size() >= CancelSecret::kMinBytes);
  PGVEIL_ASSERT(secret.bytes.size() <= CancelSecret::kMaxBytes);
  out_.append(secret.bytes);
}

void Writer::write(const CountedNames& names) {
  PGVEIL_ASSERT(names.names.size() <= kMaxLength);
  write(static_cast<std::uint32_t>(names.names.size()));
  for (const std::string& name : names.names) write(name);
}

void Writer::write(const EndedNames& names) {
  for (const std::string& name : names.names) {
    PGVEIL_ASSERT(!name.empty());
    write(name);
  }
  out_.push_back('\0');
}

void Writer::write(const Diagnostics& diagnostics) {
  for (const auto& [code, text] : diagnostics.fields) {
    PGVEIL_ASSERT(code != '\0');
    out_.push_back(code);
    write(text);
  }
  out_.push_back('\0');
}

}  // namespace pgveil::wire
