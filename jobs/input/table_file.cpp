#include "jobs/input/table_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/csv.hpp"
#include "common/files/packed_text.hpp"
#include "jobs/columnar/columnar_file.hpp"
#include "jobs/input/input_text.hpp"
#include "jobs/input/json_lines.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kLookedAt = 64;  // bytes of a text

// A name that another column has already is left as it is: then pgveil did not write the header.
void remove_marks(engine::Table& table) {
  for (auto& column : table.columns) {
    const std::string name(without_formula_mark(column.name));
    if (table.find(name) == nullptr) column.name = name;
    std::vector<std::string> texts;
    for (const auto& value : column.values) texts.emplace_back(without_formula_mark(value));
    if (texts != column.values) column = engine::with_texts(column, texts);
  }
}

// Names can have marks, so all columns are read before some are chosen.
Result<engine::Table> read_marked_table(ReadPiece text, char separator, std::span<const std::string> wanted,
                                        std::vector<std::string>* others) {
  auto table = engine::read_table(std::move(text), separator, {});
  if (!table) return table;
  remove_marks(*table);
  std::erase_if(table->columns, [&](const engine::Column& column) {
    if (wanted.empty() || std::ranges::find(wanted, column.name) != wanted.end()) return false;
    if (others != nullptr) others->push_back(column.name);
    return true;
  });
  return table;
}

// Looks at the beginning before a separator is looked for.
Result<ReadPiece> no_json(ReadPiece text) {
  std::string first;
  while (first.size() < kLookedAt) {
    const auto more = text(first);
    if (!more) return more.error();
    if (!*more) break;
  }
  if (auto fits = check_no_json(first); !fits) return fits.error();
  return after(std::move(first), std::move(text));
}

Result<engine::Table> read_records_of_json(ReadPiece text, const std::optional<std::string>& null_text,
                                           std::span<const std::string> wanted,
                                           std::vector<std::string>& others) {
  auto table = read_json_lines(std::move(text), null_text, wanted, &others);
  if (table && table->columns.empty() && others.empty())
    return invalid_input("there is no record in the JSON lines", "write one object in each line");
  return table;
}

}  // namespace

Result<engine::Table> read_table_file(const JobFile& file, const std::optional<std::string>& null_text,
                                      std::span<const std::string> wanted, std::vector<std::string>* others,
                                      std::map<std::string, std::string>* types, DelimitedText delimited) {
  const auto named = columnar_format_of_name(file.path);
  if (!named) return in_input(named.error(), file.path);
  auto bytes = input_bytes(file.path);
  if (!bytes) return bytes.error();
  const auto read = [&]() -> Result<engine::Table> {
    if (const auto format = columnar_format_of_beginning(bytes->beginning))
      return read_columnar({bytes->read, bytes->file}, *format, null_text, wanted, most_unpacked_bytes(),
                           others, types);
    if (*named)
      return invalid_input(
          fmt::format("the file has the name of a {}, and does not begin like one", words(**named)),
          "is it empty, or does it hold something else?");
    auto text = unpacked_pieces(bytes->read, most_unpacked_bytes());
    if (is_json_lines(file.path)) {
      std::vector<std::string> unlisted;
      return read_records_of_json(std::move(text), null_text, wanted, others != nullptr ? *others : unlisted);
    }
    auto plain = no_json(std::move(text));
    if (!plain) return plain.error();
    return delimited == DelimitedText::marked
               ? read_marked_table(std::move(*plain), file.separator, wanted, others)
               : engine::read_table(std::move(*plain), file.separator, wanted, others);
  };
  auto table = read();
  if (!table) return in_input(table.error(), file.path);
  return table;
}

}  // namespace pgveil::app
