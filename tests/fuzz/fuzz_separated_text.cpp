// The CSV reader on arbitrary bytes; the first is the separator. What it reads can be written and read again,
// each error names its record, and what is read as a table or a hierarchy has the shape it promises. Bytes
// that are packed text are unpacked within a limit, and packed again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/files/packed_text.hpp"
#include "common/separated_text.hpp"
#include "engine/data/hierarchy.hpp"
#include "engine/data/table.hpp"
#include "policy/level/level_hierarchy.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::engine;
using Records = std::vector<std::vector<std::string>>;

bool read(std::string_view text, char separator, Records& records) {
  RecordReader reader(text, separator);
  std::vector<std::string_view> fields;
  while (true) {
    const auto more = reader.next(fields);
    if (!more) {
      if (!more.error().public_message.starts_with("record ")) std::abort();
      return false;
    }
    if (!*more) return true;
    records.emplace_back(fields.begin(), fields.end());
    if (records.size() != reader.records_read() || fields.empty()) std::abort();
  }
}

ReadPiece pieces_of(std::string_view text, std::size_t size) {
  return [text, size](std::string& to) mutable -> Result<bool> {
    to += text.substr(0, size);
    const bool had_some = !text.empty();
    text.remove_prefix(std::min(size, text.size()));
    return had_some;
  };
}

// The same records, or the same refusal, as of the whole text.
void compare_with_pieces(std::string_view text, char separator, std::size_t size) {
  RecordReader whole(text, separator);
  RecordStream stream(pieces_of(text, size), separator);
  std::vector<std::string_view> fields, streamed;
  while (true) {
    const auto more = whole.next(fields);
    const auto again = stream.next(streamed);
    if (more.has_error() != again.has_error()) std::abort();
    if (!more) {
      if (more.error().public_message != again.error().public_message) std::abort();
      return;
    }
    if (*more != *again || (*more && fields != streamed)) std::abort();
    if (!*more) return;
  }
}

void compare_unpacked(std::string_view bytes, std::size_t size, std::size_t limit) {
  const auto whole = unpacked(bytes, limit);
  const auto read = unpacked_pieces(pieces_of(bytes, size), limit);
  std::string text;
  while (true) {
    const auto more = read(text);
    if (more.has_error() && whole.has_value()) std::abort();
    if (!more) return;
    if (*more) continue;
    if (!whole || *whole != text) std::abort();
    return;
  }
}

std::string written(const Records& records, char separator) {
  std::string text;
  for (const auto& record : records) {
    for (std::size_t i = 0; i < record.size(); ++i) {
      if (i > 0) text += separator;
      text += '"';
      for (const char c : record[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    text += "\r\n";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const char separator = static_cast<char>(data[0]);
  if (separator == '"' || separator == '\r' || separator == '\n') return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Records records;
  if (read(text, separator, records)) {
    Records again;
    if (!read(written(records, separator), separator, again) || again != records) std::abort();
  }
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U}) {
    compare_with_pieces(text, separator, piece);
    compare_unpacked(text, piece, std::size_t{1} << 20);
  }
  if (const auto plain = unpacked(text, std::size_t{1} << 20)) {
    for (const Packing packing : {Packing::gzip, Packing::zstd}) {
      Packer packer(packing);
      std::string packed = packer.add(*plain);
      packed += packer.finish();
      if (*unpacked(packed, plain->size()) != *plain) std::abort();
    }
  }
  const auto table = read_table(text, separator);
  if (table) {
    for (const auto& column : table->columns) {
      if (column.codes.size() != table->rows()) std::abort();
    }
  }
  const auto hierarchy = read_hierarchy(text, separator);
  if (hierarchy && table && !table->columns.empty()) {
    const auto levels = make_level_tables(table->columns.front(), *hierarchy);
    if (levels && levels->height() + 1 != hierarchy->rows.front().size()) std::abort();
  }
  const auto groups = policy::groups_of_hierarchy(text, separator, 1);
  if (groups && hierarchy && groups->labels.size() != hierarchy->rows.size()) std::abort();
  return 0;
}
