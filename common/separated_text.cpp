#include "common/separated_text.hpp"

#include <fmt/format.h>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil {

RecordReader::RecordReader(std::string_view bytes, char separator, std::uint64_t records_before)
    : bytes_(bytes), separator_(separator), record_(records_before) {
  PGVEIL_ASSERT(separator != '"' && separator != '\r' && separator != '\n');
  if (record_ == 0) skip_byte_order_mark();
}

void RecordReader::skip_byte_order_mark() {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (bytes_.starts_with(byte_order_mark)) bytes_.remove_prefix(byte_order_mark.size());
}

void RecordReader::continue_with(std::string_view bytes) {
  PGVEIL_ASSERT(at_ == bytes_.size());
  bytes_ = bytes;
  at_ = 0;
  if (record_ == 0) skip_byte_order_mark();
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

namespace {

// By find(), because most texts have few quotes.
bool has_odd_quotes(std::string_view text) {
  bool is_odd = false;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at + 1))
    is_odd = !is_odd;
  return is_odd;
}

}  // namespace

// A line end is the end of a record if the quotes before it are even in number. Where they are odd it is in a
// quoted field, or the text is refused anyway.
std::size_t RecordRuns::end_of_records() {
  const std::string_view rest = std::string_view(held_).substr(counted_);
  const std::size_t last = rest.rfind('\n');
  const bool is_quoted_at_last =
      last != std::string_view::npos && is_quoted_ != has_odd_quotes(rest.substr(0, last));
  std::size_t end = last == std::string_view::npos ? 0 : counted_ + last + 1;
  if (is_quoted_at_last) {
    bool is_quoted = true;
    std::size_t at = last;
    while (at > 0 && (is_quoted || rest[at] != '\n')) {
      --at;
      if (rest[at] == '"') is_quoted = !is_quoted;
    }
    end = !is_quoted && rest[at] == '\n' ? counted_ + at + 1 : 0;
  }
  is_quoted_ = is_quoted_ != has_odd_quotes(rest);
  counted_ = held_.size();
  return end;
}

Result<std::string_view> RecordRuns::next() {
  held_.erase(0, given_);
  counted_ -= given_;
  given_ = 0;
  while (!is_over_) {
    const auto more = read_(held_);
    if (!more) return more.error();
    is_over_ = !*more;
    given_ = is_over_ ? held_.size() : end_of_records();
    if (given_ > 0) break;
  }
  return std::string_view(held_).substr(0, given_);
}

Result<bool> RecordStream::next(std::vector<std::string_view>& fields) {
  while (true) {
    auto read = reader_.next(fields);
    if (!read || *read) return read;
    const auto run = runs_.next();
    if (!run) return run.error();
    if (run->empty()) return false;
    reader_.continue_with(*run);
  }
}

}  // namespace pgveil
