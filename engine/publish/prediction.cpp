#include "engine/publish/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "common/assert.hpp"
#include "engine/publish/classifier.hpp"

namespace pgveil::engine {
namespace {

// A column as the classifier looks at it. Spans of a Feature refer to this.
struct FeatureColumn {
  std::vector<Code> raw;
  std::vector<std::uint32_t> cells;
  std::vector<std::vector<Code>> covers;
  std::size_t values = 0;
  std::optional<Code> null_code;
  [[nodiscard]] Feature feature() const { return {raw, values, null_code, cells, covers}; }
};

std::vector<Code> codes_by_row(const Column& column) {
  std::vector<Code> codes(column.codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) codes[row] = column.codes.at(row);
  return codes;
}

std::optional<Code> null_code_of(const Column& column, const std::optional<std::string>& text) {
  const auto found = std::ranges::find_if(column.values, [&](const auto& it) { return it == text; });
  if (found == column.values.end()) return std::nullopt;
  return static_cast<Code>(found - column.values.begin());
}

FeatureColumn as_it_was(const Column& column, const std::optional<std::string>& null_text) {
  FeatureColumn made{codes_by_row(column), {}, {}, column.values.size(), null_code_of(column, null_text)};
  made.cells = made.raw;
  made.covers.resize(made.values);
  for (Code code = 0; code < made.values; ++code) {
    if (code != made.null_code) made.covers[code].push_back(code);
  }
  return made;
}

// The last cell covers nothing: NULL, and rows that are not published.
FeatureColumn as_published(const Column& column, const PublishedColumn& published,
                           std::span<const std::uint32_t> source_rows,
                           const std::optional<std::string>& null_text) {
  FeatureColumn made = as_it_was(column, null_text);
  const auto nothing = static_cast<std::uint32_t>(published.values.size());
  made.cells.assign(made.raw.size(), nothing);
  made.covers.assign(published.values.size() + 1, {});
  for (std::size_t row = 0; row < source_rows.size(); ++row) {
    const Code cell = published.codes[row];
    if (cell == kNullCode || published.values[cell] == kSuppressed) continue;
    made.cells[source_rows[row]] = cell;
    made.covers[cell].push_back(made.raw[source_rows[row]]);
  }
  for (auto& codes : made.covers) {
    std::ranges::sort(codes);
    const auto repeated = std::ranges::unique(codes);
    codes.erase(repeated.begin(), repeated.end());
  }
  return made;
}

struct Target {
  std::vector<std::uint32_t> classes;  // [row]; class_count: none
  std::size_t class_count = 0;
};

Target target_of(const Column& column, std::span<const std::uint8_t> subset,
                 const std::optional<std::string>& null_text) {
  const auto null_code = null_code_of(column, null_text);
  const auto codes = codes_by_row(column);
  const auto has_class = [&](std::size_t row) {
    return (subset.empty() || subset[row] != 0) && codes[row] != null_code;
  };
  std::vector<std::uint32_t> class_of(column.values.size(), 0);
  for (std::size_t row = 0; row < codes.size(); ++row) {
    if (has_class(row)) class_of[codes[row]] = 1;
  }
  Target made;
  for (auto& it : class_of) it = it == 0 ? 0 : static_cast<std::uint32_t>(made.class_count++);
  for (std::size_t row = 0; row < codes.size(); ++row)
    made.classes.push_back(has_class(row) ? class_of[codes[row]]
                                          : static_cast<std::uint32_t>(made.class_count));
  return made;
}

double accuracy_of(const std::vector<FeatureColumn>& columns, const Target& target,
                   std::span<const std::uint8_t> is_published) {
  Examples examples{{}, target.classes, target.class_count, is_published};
  for (const auto& it : columns) examples.features.push_back(it.feature());
  return accuracy(examples);
}

}  // namespace

Result<Prediction> measure_prediction(const Table& table, std::span<const std::uint8_t> subset,
                                      const std::optional<std::string>& null_text,
                                      const Publication& publication, const std::string& target) {
  PGVEIL_ASSERT(publication.source_rows.size() == publication.rows);
  const auto own = std::ranges::find(publication.columns, target, &PublishedColumn::name);
  PGVEIL_ASSERT(own != publication.columns.end() && !own->is_quasi_identifier);
  const auto classes = target_of(*table.find(target), subset, null_text);
  if (classes.class_count > kMostPredicted)
    return error_of_kind(ErrorKind::usage,
                         fmt::format("{} has {} values, and at most {} can be predicted", target,
                                     classes.class_count, kMostPredicted),
                         "name a column of fewer values");
  std::vector<FeatureColumn> before, after;
  for (const auto& published : publication.columns) {
    if (!published.is_quasi_identifier) continue;
    const Column& column = *table.find(published.name);
    before.push_back(as_it_was(column, null_text));
    after.push_back(as_published(column, published, publication.source_rows, null_text));
  }
  const std::vector<std::uint8_t> all(table.rows(), 1);
  std::vector<std::uint8_t> is_published(table.rows(), 0);
  for (std::size_t row = 0; row < publication.rows; ++row)
    is_published[publication.source_rows[row]] = own->codes[row] == kNullCode ? 0 : 1;
  Prediction made{target, classes.class_count, 0, 0, 0, 0};
  made.records = classes.classes.size() -
                 static_cast<std::size_t>(std::ranges::count(classes.classes, classes.class_count));
  made.most_frequent = share_of_most_frequent({{}, classes.classes, classes.class_count, all});
  made.before = accuracy_of(before, classes, all);
  made.after = accuracy_of(after, classes, is_published);
  return made;
}

}  // namespace pgveil::engine
