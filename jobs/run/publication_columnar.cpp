#include "jobs/run/publication_columnar.hpp"

#include <algorithm>
#include <vector>

#include "common/files/packed_text.hpp"
#include "common/sqlstate.hpp"
#include "engine/publish/recount.hpp"

namespace pgveil::app {
namespace {

Error unreadable_columns() {
  return {ErrorKind::policy, std::string(sqlstate::kInternalError),
          "the output differs when it is read again", "nothing was published"};
}

}  // namespace

Result<void> recount_columnar(const ColumnarBytes& bytes, ColumnarFormat format,
                              const engine::Publication& publication,
                              const std::optional<std::string>& null_text, std::uint64_t k,
                              engine::SuppressedRecords suppressed_records) {
  // As in CSV, where NULL of columns that are no quasi-identifiers is the empty cell.
  const std::string null = null_text.value_or("");
  const auto table = read_columnar(bytes, format, null, {}, most_unpacked_bytes());
  if (!table) {
    const auto kind = table.error().kind;
    return kind == ErrorKind::io || kind == ErrorKind::limit ? table.error() : unreadable_columns();
  }
  if (!std::ranges::equal(publication.columns, table->columns, {}, &engine::PublishedColumn::name,
                          &engine::Column::name))
    return unreadable_columns();
  engine::Recount counted;
  std::vector<std::optional<std::string_view>> shown;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    shown.clear();
    bool shows_more = false;
    for (std::size_t i = 0; i < table->columns.size(); ++i) {
      const auto& column = table->columns[i];
      const std::string& text = column.values[column.codes.at(row)];
      if (publication.columns[i].is_quasi_identifier) {
        shown.emplace_back(text);
      } else {
        shows_more = shows_more || text != null;
      }
    }
    counted.add(shown, shows_more);
  }
  return counted.check(k, suppressed_records, publication.rows);
}

}  // namespace pgveil::app
