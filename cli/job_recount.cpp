#include "cli/job_recount.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/sqlstate.hpp"

namespace pgveil::cli {
namespace {

using engine::CheckedColumn;

// Of the records that are published, as they were read.
engine::ValueCounts counted(const engine::Column& column, const JobData& data,
                            const std::optional<std::string>& null_text) {
  std::vector<std::uint64_t> counts(column.values.size(), 0);
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    if (data.prepared.subset.empty() || data.prepared.subset[row] != 0) ++counts[column.codes.at(row)];
  }
  engine::ValueCounts made;
  for (std::size_t code = 0; code < counts.size(); ++code) {
    const auto& value = column.values[code];
    if (counts[code] > 0) made[value == null_text ? engine::ValueText() : value] += counts[code];
  }
  return made;
}

// The columns of a publication, sorted by what they are to a check.
struct Places {
  std::vector<const engine::PublishedColumn*> quasi_identifiers, sensitive, others;
};

Places places_of(const engine::Publication& publication, const std::vector<CheckedColumn>& columns) {
  Places places;
  for (const auto& it : columns) {
    const auto found = std::ranges::find(publication.columns, it.name, &engine::PublishedColumn::name);
    places.sensitive.push_back(&*found);
  }
  for (const auto& it : publication.columns) {
    if (it.is_quasi_identifier) {
      places.quasi_identifiers.push_back(&it);
    } else if (std::ranges::find(places.sensitive, &it) == places.sensitive.end()) {
      places.others.push_back(&it);
    }
  }
  return places;
}

std::optional<std::string_view> cell(const engine::PublishedColumn& column, std::size_t row) {
  const auto code = column.codes[row];
  if (code == engine::kNullCode) return std::nullopt;
  return std::string_view(column.values[code]);
}

void add_rows(const engine::Publication& publication, const Places& places, engine::TableCheck& check) {
  std::vector<std::optional<std::string_view>> shown, sensitive;
  for (std::size_t row = 0; row < publication.rows; ++row) {
    shown.clear();
    sensitive.clear();
    for (const auto* column : places.quasi_identifiers) shown.push_back(cell(*column, row));
    for (const auto* column : places.sensitive) sensitive.push_back(cell(*column, row));
    const bool shows_more = std::ranges::any_of(
        places.others, [row](const auto* it) { return it->codes[row] != engine::kNullCode; });
    check.add(shown, sensitive, shows_more);
  }
}

}  // namespace

Result<std::vector<CheckedColumn>> checked_columns(const Job& job, const engine::Table& values) {
  std::vector<CheckedColumn> made;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class != AttributeClass::sensitive || attribute.models.empty()) continue;
    CheckedColumn column{attribute.name, attribute.models, attribute.order, {}, job.null_text, {}};
    const auto* found = values.find(attribute.name);
    if (found != nullptr && has_hierarchy(attribute)) {
      auto hierarchy = hierarchy_of(attribute, *found, job);
      if (!hierarchy) return hierarchy.error();
      column.hierarchy = std::move(*hierarchy);
    }
    made.push_back(std::move(column));
  }
  return made;
}

Result<void> recount_models(const Job& job, const JobData& data, const engine::Publication& publication) {
  auto columns = checked_columns(job, data.table);
  if (!columns) return columns.error();
  if (columns->empty()) return {};
  for (auto& column : *columns) column.expected = counted(*data.table.find(column.name), data, job.null_text);
  engine::TableCheck check(*columns);
  add_rows(publication, places_of(publication, *columns), check);
  const auto found = check.finish({job.k, job.outliers, 0});
  if (!found) return found.error();
  if (found->is_kept()) return {};
  std::string broken;
  for (const auto& it : found->demands) {
    if (!it.is_kept())
      broken += fmt::format("{}{}{}", broken.empty() ? "" : ", ", it.column.empty() ? "" : it.column + " ",
                            it.model);
  }
  return Error{ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
               fmt::format("the output did not pass the recount: {} classes break {}",
                           found->offending_classes, broken),
               "nothing was published; this is a fault of pgveil, please report it"};
}

}  // namespace pgveil::cli
