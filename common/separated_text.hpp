#pragma once
// Reads RFC 4180 text (CSV) with any separator, from bytes in memory, as a whole or in runs of whole
// records. Records end with LF or CRLF, which the last one may lack. A field in double quotes may contain
// separators, line ends and doubled quotes. A byte order mark at the beginning is skipped. Refused: a quote
// inside an unquoted field, text after a closing quote, a quote that is never closed, a carriage return
// without line feed. It does no I/O: the caller reads the file.
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "common/read_piece.hpp"

namespace pgveil {

class RecordReader {
 public:
  // `bytes` must outlive the reader. REQUIRES: separator is not a quote, CR or LF.
  // records_before: that the text has before these bytes, for messages. A byte order mark is skipped if it is
  // 0.
  RecordReader(std::string_view bytes, char separator, std::uint64_t records_before = 0);

  // Reads the next record into `fields` (overwritten); false at the end. The views are valid until the next
  // call. Errors name the record (1-based), never a value.
  [[nodiscard]] Result<bool> next(std::vector<std::string_view>& fields);

  // Goes on with the text that follows, after next() returned false. `bytes` must outlive the reader or the
  // next call of this.
  void continue_with(std::string_view bytes);

  [[nodiscard]] std::uint64_t records_read() const { return record_; }

 private:
  void skip_byte_order_mark();
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

// Cuts text that comes in pieces into runs that end where a record ends. So a long text is never in memory
// as a whole, unless a quote is never closed.
class RecordRuns {
 public:
  explicit RecordRuns(ReadPiece read) : read_(std::move(read)) {}

  // The next run, valid until the next call. Empty: the text is over. Errors: those of the function.
  [[nodiscard]] Result<std::string_view> next();

 private:
  // Where the last record ends in what is held; 0: none does.
  [[nodiscard]] std::size_t end_of_records();

  ReadPiece read_;
  std::string held_;
  std::size_t given_ = 0;    // of what is held: was returned before
  std::size_t counted_ = 0;  // of what is held: its quotes are counted
  bool is_quoted_ = false;   // there
  bool is_over_ = false;
};

// Reads records of text that comes in pieces.
class RecordStream {
 public:
  RecordStream(ReadPiece read, char separator) : runs_(std::move(read)), reader_({}, separator) {}

  // As RecordReader::next.
  [[nodiscard]] Result<bool> next(std::vector<std::string_view>& fields);
  [[nodiscard]] std::uint64_t records_read() const { return reader_.records_read(); }

 private:
  RecordRuns runs_;
  RecordReader reader_;
};

}  // namespace pgveil
