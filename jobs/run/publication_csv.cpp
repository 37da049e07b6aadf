#include "jobs/run/publication_csv.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/ascii.hpp"
#include "common/csv.hpp"
#include "common/separated_text.hpp"
#include "common/sqlstate.hpp"
#include "common/workers.hpp"
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

// What one thread counts: run by run, each with whole records.
struct RunCounter {
  std::string run;
  bool is_first = false;  // the run begins with the header
  bool is_readable = true;
  engine::Recount counted = {};  // all of its runs
};

void count(const CsvForm& form, const engine::Publication& publication, RunCounter& counter) {
  RecordReader reader(counter.run, form.separator, counter.is_first ? 0 : 1);
  std::vector<std::string_view> fields;
  std::vector<std::optional<std::string_view>> shown;
  bool is_header = counter.is_first;
  while (true) {
    const auto more = reader.next(fields);
    counter.is_readable =
        more.has_value() && (!*more || fields.size() == publication.columns.size()) && (*more || !is_header);
    if (!counter.is_readable || !*more) return;
    if (std::exchange(is_header, false)) continue;
    shown.clear();
    bool shows_more = false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (publication.columns[i].is_quasi_identifier) {
        shown.emplace_back(fields[i]);
      } else {
        shows_more = shows_more || !fields[i].empty();
      }
    }
    counter.counted.add(shown, shows_more);
  }
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
                         std::uint64_t k, engine::SuppressedRecords suppressed_records, std::size_t threads) {
  RecordRuns runs(std::move(text));
  Workers workers(threads);
  std::vector<RunCounter> counters(threads);
  bool has_header = false;
  for (bool is_over = false; !is_over;) {
    std::size_t size = 0;
    for (; size < threads && !is_over; ++size) {
      const auto run = runs.next();
      if (!run) return run.error();
      is_over = run->empty();
      counters[size].run = *run;
      counters[size].is_first = !std::exchange(has_header, true);
    }
    workers.run(size, [&](std::size_t i) { count(form, publication, counters[i]); });
    if (!std::ranges::all_of(counters, &RunCounter::is_readable)) return unreadable();
  }
  engine::Recount counted = std::move(counters.front().counted);
  for (std::size_t i = 1; i < threads; ++i) counted.add(counters[i].counted);
  return counted.check(k, suppressed_records, publication.rows);
}

}  // namespace pgveil::app
