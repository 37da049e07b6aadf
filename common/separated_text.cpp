#include "common/separated_text.hpp"

#include <fmt/format.h>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil {

RecordReader::RecordReader(std::string_view bytes, char separator) : bytes_(bytes), separator_(separator) {
  PGVEIL_ASSERT(separator != '"' && separator != '\r' && separator != '\n');
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (bytes_.starts_with(byte_order_mark)) bytes_.remove_prefix(byte_order_mark.size());
}

Error RecordReader::error(std::string_view what) const {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = fmt::format("record {}: {}", record_, what),
               .hint = "fields with quotes, separators or line ends stand in double quotes, quotes doubled"};
}

Result<std::string_view> RecordReader::quoted_field() {
  const std::size_t begin = ++at_;
  std::string* joined = nullptr;  // only a field with doubled quotes needs a copy
  std::size_t piece = begin;
  while (true) {
    const std::size_t quote = bytes_.find('"', at_);
    if (quote == std::string_view::npos) return error("a quote is never closed");
    at_ = quote + 1;
    if (at_ == bytes_.size() || bytes_[at_] != '"') {
      if (joined == nullptr) return bytes_.substr(begin, quote - begin);
      joined->append(bytes_.substr(piece, quote - piece));
      return std::string_view(*joined);
    }
    if (joined == nullptr) joined = &unescaped_.emplace_back();
    joined->append(bytes_.substr(piece, at_ - piece));
    piece = ++at_;
  }
}

Result<std::string_view> RecordReader::plain_field() {
  const std::size_t begin = at_;
  for (; at_ < bytes_.size(); ++at_) {
    const char byte = bytes_[at_];
    if (byte == separator_ || byte == '\n' || byte == '\r') break;
    if (byte == '"') return error("a quote inside a field that does not begin with one");
  }
  return bytes_.substr(begin, at_ - begin);
}

Result<bool> RecordReader::another_field_follows() {
  if (at_ == bytes_.size()) return false;
  const char byte = bytes_[at_++];
  if (byte == separator_) return true;
  if (byte == '\n') return false;
  if (byte != '\r') return error("text after a closing quote");
  if (at_ == bytes_.size() || bytes_[at_] != '\n') return error("a carriage return without a line feed");
  ++at_;
  return false;
}

Result<bool> RecordReader::next(std::vector<std::string_view>& fields) {
  fields.clear();
  unescaped_.clear();
  if (at_ == bytes_.size()) return false;
  ++record_;
  while (true) {
    const bool is_quoted = at_ < bytes_.size() && bytes_[at_] == '"';
    const auto field = is_quoted ? quoted_field() : plain_field();
    if (field.has_error()) return field.error();
    fields.push_back(*field);
    const auto more = another_field_follows();
    if (more.has_error()) return more.error();
    if (!*more) return true;
  }
}

}  // namespace pgveil
