#pragma once
// Reads RFC 4180 text (CSV) with any separator, from bytes in memory. Records end with LF or CRLF, which the
// last one may lack. A field in double quotes may contain separators, line ends and doubled quotes. A byte
// order mark at the beginning is skipped. Refused: a quote inside an unquoted field, text after a closing
// quote, a quote that is never closed, a carriage return without line feed. It does no I/O: the caller reads
// the file.
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace pgveil {

class RecordReader {
 public:
  // `bytes` must outlive the reader. REQUIRES: separator is not a quote, CR or LF.
  RecordReader(std::string_view bytes, char separator);

  // Reads the next record into `fields` (overwritten); false at the end. The views are valid until the next
  // call. Errors name the record (1-based), never a value.
  [[nodiscard]] Result<bool> next(std::vector<std::string_view>& fields);

  [[nodiscard]] std::uint64_t records_read() const { return record_; }

 private:
  [[nodiscard]] Result<std::string_view> quoted_field();
  [[nodiscard]] Result<std::string_view> plain_field();
  // Consumes the end of a field: true for a separator, false for the end of the record.
  [[nodiscard]] Result<bool> another_field_follows();
  [[nodiscard]] Error error(std::string_view what) const;

  std::string_view bytes_;
  char separator_;
  std::size_t at_ = 0;
  std::uint64_t record_ = 0;
  std::deque<std::string> unescaped_;  // a deque: views of its elements survive growth
};

}  // namespace pgveil
