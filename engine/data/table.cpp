#include "engine/data/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/sqlstate.hpp"

namespace pgveil::engine {
namespace {

Error table_error(std::string message, std::string hint) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message),
               .hint = std::move(hint)};
}

bool is_wanted(std::span<const std::string> wanted, std::string_view name) {
  return wanted.empty() || std::ranges::find(wanted, name) != wanted.end();
}

// Only wanted columns need a name of their own.
Result<void> check_header(const std::vector<std::string_view>& names, std::span<const std::string> wanted) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (!is_wanted(wanted, *name)) continue;
    const auto number = name - names.begin() + 1;
    if (name->empty())
      return table_error(fmt::format("column {} of the header has no name", number),
                         number == 1 ? "it looks like the index that pandas writes: write the file with "
                                       "index=False, or name the column"
                                     : "name every column");
    if (std::find(names.begin(), name, *name) != name)
      return table_error(fmt::format("column {} of the header repeats a name", number), "names must differ");
  }
  return {};
}

struct WantedColumn {
  std::size_t field;  // of a record
  ColumnEncoder encoder;
};

bool is_empty_line(const std::vector<std::string_view>& fields, std::size_t columns) {
  return columns > 1 && fields.size() == 1 && fields.front().empty();
}

// Records: RecordReader or RecordStream.
template <class Records>
Result<Table> read_records(Records& reader, std::span<const std::string> wanted,
                           std::vector<std::string>* others) {
  std::vector<std::string_view> fields;
  auto more = reader.next(fields);
  if (more.has_error()) return more.error();
  if (!*more) return table_error("the file is empty", "the first record names the columns");
  if (auto header = check_header(fields, wanted); header.has_error()) return header.error();
  const std::size_t width = fields.size();
  std::vector<WantedColumn> columns;
  for (std::size_t i = 0; i < width; ++i) {
    if (is_wanted(wanted, fields[i]))
      columns.push_back({i, ColumnEncoder(std::string(fields[i]))});
    else if (others != nullptr && !fields[i].empty())
      others->emplace_back(fields[i]);
  }
  while (true) {
    more = reader.next(fields);
    if (more.has_error()) return more.error();
    if (!*more) break;
    if (is_empty_line(fields, width)) continue;
    if (fields.size() != width) {
      return table_error(fmt::format("record {} has {} fields, the header has {}", reader.records_read(),
                                     fields.size(), width),
                         "check the separator and the quotes");
    }
    for (auto& column : columns) column.encoder.add(fields[column.field]);
  }
  Table table;
  for (auto& column : columns) table.columns.push_back(std::move(column.encoder).finish());
  return table;
}

}  // namespace

const Column* Table::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

Table rows_of(const Table& table, std::span<const std::size_t> rows) {
  Table made;
  for (const auto& column : table.columns) {
    auto& chosen = made.columns.emplace_back();
    chosen.name = column.name;
    chosen.values = column.values;
    for (const auto row : rows) chosen.codes.push_back(column.codes.at(row));
  }
  return made;
}

Column with_texts(const Column& column, std::span<const std::string> texts) {
  ColumnEncoder encoder(column.name);
  std::vector<Code> known(texts.size(), kNullCode);
  column.codes.visit([&](auto codes) {
    for (const auto code : codes) {
      auto& made = known[code];
      if (made == kNullCode)
        made = encoder.add(texts[code]);
      else
        encoder.repeat(made);
    }
  });
  return std::move(encoder).finish();
}

Result<Table> read_table(std::string_view bytes, char separator) {
  RecordReader reader(bytes, separator);
  return read_records(reader, {}, nullptr);
}

Result<Table> read_table(ReadPiece read, char separator, std::span<const std::string> wanted,
                         std::vector<std::string>* others) {
  RecordStream stream(std::move(read), separator);
  return read_records(stream, wanted, others);
}

Result<NamedColumns> read_named_columns(std::string_view bytes, char separator) {
  RecordReader header(bytes, separator);
  std::vector<std::string_view> fields;
  if (const auto read = header.next(fields); read.has_error()) return read.error();
  std::vector<std::string> names;
  for (const auto field : fields) {
    if (!field.empty()) names.emplace_back(field);
  }
  const auto nameless = fields.size() - names.size();
  if (nameless == 0) names.clear();  // all columns are wanted
  RecordReader reader(bytes, separator);
  auto table = read_records(reader, names, nullptr);
  if (table.has_error()) return table.error();
  return NamedColumns{std::move(*table), nameless};
}

}  // namespace pgveil::engine
