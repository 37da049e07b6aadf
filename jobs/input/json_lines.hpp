#pragma once
// JSON lines: text of which each line is one JSON object, a record with its columns by name. Strings,
// numbers and true or false are read as their texts, numbers with all of their digits. A column is NULL
// where the value is null or the object has no such key.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/read_piece.hpp"
#include "engine/data/table.hpp"

namespace pgveil::app {

struct JsonField {
  std::string name;
  std::optional<std::string> text;  // nullopt: null
  bool is_nested = false;           // an array or an object, whose text is not kept
};

class JsonLineReader {
 public:
  explicit JsonLineReader(ReadPiece read) : read_(std::move(read)) {}

  // Reads the next record into `fields` (overwritten), in the order of its keys; false at the end. Empty
  // lines are skipped. Errors: those of `read`; a line that is no JSON object, that has a key twice, or in
  // which arrays and objects are nested more than 500 levels deep. They name the record (1-based), never a
  // value.
  [[nodiscard]] Result<bool> next(std::vector<JsonField>& fields);
  [[nodiscard]] std::uint64_t records_read() const { return record_; }

 private:
  // nullopt: the text is over. The view is valid until the next call.
  [[nodiscard]] Result<std::optional<std::string_view>> next_line();

  ReadPiece read_;
  std::string held_;
  std::size_t at_ = 0;        // of what is held: begins the next line
  std::size_t searched_ = 0;  // of what is held: no line ends before
  bool is_over_ = false;
  std::uint64_t record_ = 0;
};

// Refuses delimited text that begins like JSON: as an object with a key, or an array of objects.
[[nodiscard]] Result<void> check_no_json(std::string_view beginning);

// null_text: what stands for NULL in the table; nullopt: NULL is refused. With only the wanted columns, in
// the order in which they first come; none wanted: all. `others` gets the names of those that are not kept,
// unless it is null. Errors also: a NULL without a null_text; a kept column that has an array or an object.
[[nodiscard]] Result<engine::Table> read_json_lines(ReadPiece read,
                                                    const std::optional<std::string>& null_text,
                                                    std::span<const std::string> wanted,
                                                    std::vector<std::string>* others = nullptr);

}  // namespace pgveil::app
