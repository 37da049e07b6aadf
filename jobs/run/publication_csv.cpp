#include "jobs/run/publication_csv.hpp"

#include <algorithm>
#include <vector>

#include "common/ascii.hpp"
#include "common/csv.hpp"
#include "common/separated_text.hpp"
#include "common/sqlstate.hpp"
#include "engine/publish/recount.hpp"

namespace pgveil::app {
namespace {

// Optional sign, digits, at most one dot: nothing that a spreadsheet would run as a formula.
bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && is_digit(text.front()) && std::ranges::count(text, '.') <= 1 &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; });
}

CellKind kind_of(std::string_view text) {
  return is_number(text) ? CellKind::number : CellKind::text;
}

std::string cell(std::optional<std::string_view> value, char separator) {
  std::string made;
  append_cell(made, value, value ? kind_of(*value) : CellKind::text, separator);
  return made;
}

// The cells of a column, made once per value. The last one is for NULL.
std::vector<std::string> cells_of(const engine::PublishedColumn& column, const CsvForm& form) {
  std::vector<std::string> cells;
  for (const auto& value : column.values) cells.push_back(cell(value, form.separator));
  cells.push_back(column.is_quasi_identifier ? cell(form.null_text, form.separator) : "");
  return cells;
}

Error unreadable() {
  return {ErrorKind::policy, std::string(sqlstate::kInternalError),
          "the output differs when it is read again", "nothing was published"};
}

}  // namespace

Result<void> write_csv(const engine::Publication& publication, const CsvForm& form,
                       const std::function<Result<void>(std::string_view line)>& append) {
  std::string line;
  std::vector<std::vector<std::string>> cells;
  for (const auto& column : publication.columns) {
    line += (line.empty() ? "" : std::string(1, form.separator)) + cell(column.name, form.separator);
    cells.push_back(cells_of(column, form));
  }
  if (auto written = append(line + "\r\n"); !written) return written;
  for (std::uint64_t row = 0; row < publication.rows; ++row) {
    line.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto code = publication.columns[i].codes[row];
      if (i > 0) line += form.separator;
      line += code == engine::kNullCode ? cells[i].back() : cells[i][code];
    }
    line += "\r\n";
    if (auto written = append(line); !written) return written;
  }
  return {};
}

Result<void> recount_csv(ReadPiece text, const CsvForm& form, const engine::Publication& publication,
                         std::uint64_t k, engine::SuppressedRecords suppressed_records) {
  std::optional<Error> unread;
  const auto read = [&](std::string& to) {
    auto more = text(to);
    if (!more) unread = more.error();
    return more;
  };
  RecordStream reader(read, form.separator);
  engine::Recount counted;
  std::vector<std::string_view> fields;
  std::vector<std::optional<std::string_view>> shown;
  const auto refusal = [&unread] { return unread ? *unread : unreadable(); };
  if (const auto header = reader.next(fields); !header || !*header) return refusal();
  while (true) {
    const auto more = reader.next(fields);
    if (!more) return refusal();
    if (!*more) break;
    if (fields.size() != publication.columns.size()) return unreadable();
    shown.clear();
    bool shows_more = false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (publication.columns[i].is_quasi_identifier) {
        shown.emplace_back(fields[i]);
      } else {
        shows_more = shows_more || !fields[i].empty();
      }
    }
    counted.add(shown, shows_more);
  }
  return counted.check(k, suppressed_records, publication.rows);
}

}  // namespace pgveil::app
