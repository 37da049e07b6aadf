#include "proxy/wire/reader.hpp"

#include <algorithm>

namespace pgveil::wire {

void Reader::fail() {
  has_failed_ = true;
  left_ = {};
}

std::string_view Reader::take(std::size_t size) {
  if (has_failed_ || size > left_.size()) {
    fail();
    return {};
  }
  const std::string_view taken = left_.substr(0, size);
  left_.remove_prefix(size);
  return taken;
}

std::uint32_t Reader::take_integer(std::size_t size) {
  std::uint32_t value = 0;
  for (const char byte : take(size)) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

void Reader::read(std::string& out) {
  const std::size_t end = left_.find('\0');
  if (end == std::string_view::npos) return fail();
  out = std::string(take(end));
  take(1);
}

void Reader::read(Value& out) {
  std::int32_t size = 0;
  read(size);
  if (has_failed_ || size == -1) {
    out.reset();
    return;
  }
  if (size < -1) return fail();
  out = std::string(take(static_cast<std::size_t>(size)));
}

void Reader::read(CancelSecret& out) {
  if (left_.size() < CancelSecret::kMinBytes || left_.size() > CancelSecret::kMaxBytes) return fail();
  out.bytes = std::string(take(left_.size()));
}

void Reader::read(CountedNames& out) {
  std::uint32_t count = 0;
  read(count);
  for (std::uint32_t i = 0; i < count && !has_failed_; ++i) read(out.names.emplace_back());
}

void Reader::read(EndedNames& out) {
  std::string name;
  for (read(name); !has_failed_ && !name.empty(); read(name)) out.names.push_back(name);
}

void Reader::read(Diagnostics& out) {
  for (;;) {
    const std::string_view code = take(1);
    if (has_failed_ || code.front() == '\0') return;
    out.fields.emplace_back(code.front(), std::string());
    read(out.fields.back().second);
  }
}

void Reader::read(std::array<unsigned char, 4>& out) {
  const std::string_view taken = take(out.size());
  std::copy(taken.begin(), taken.end(), out.begin());
}

void Reader::read(Target& out) {
  out = static_cast<Target>(take_integer(1));
  if (out != Target::statement && out != Target::portal) fail();
}

void Reader::read(TransactionStatus& out) {
  out = static_cast<TransactionStatus>(take_integer(1));
  const bool is_known = out == TransactionStatus::idle || out == TransactionStatus::in_block ||
                        out == TransactionStatus::failed;
  if (!is_known) fail();
}

}  // namespace pgveil::wire
