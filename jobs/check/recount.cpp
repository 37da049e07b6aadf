#include "jobs/check/recount.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/sqlstate.hpp"
#include "engine/recount/shown_as.hpp"

namespace pgveil::app {
namespace {

using engine::CheckedColumn;

// Counts the published records, as they were read.
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

// The columns of a publication, by their role in a check.
struct Places {
  std::vector<const engine::PublishedColumn*> quasi_identifiers, sensitive, others;
  const engine::Column* unit = nullptr;  // of the input: it is not published
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

std::optional<std::string_view> unit_of(const engine::Column& unit, std::size_t row) {
  return std::string_view(unit.values[unit.codes.at(row)]);
}

bool shows_only_stars(engine::Cells shown) {
  return std::ranges::all_of(shown, [](const auto& it) { return it == engine::kSuppressed; });
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
    if (places.unit != nullptr) {
      const bool is_hidden = publication.hidden_rows > 0 && !shows_more && shows_only_stars(shown);
      sensitive.push_back(is_hidden ? std::nullopt : unit_of(*places.unit, publication.source_rows[row]));
    }
    check.add(shown, sensitive, shows_more);
  }
}

// A quasi-identifier of the population.
struct ShownColumn {
  const engine::Column* column = nullptr;
  engine::Hierarchy hierarchy;
};

Result<std::vector<ShownColumn>> shown_columns(const Job& job, const engine::Table& population) {
  std::vector<ShownColumn> made;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class != AttributeClass::quasi_identifier) continue;
    const auto* column = population.find(attribute.name);
    if (column == nullptr)
      return Error{ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
                   fmt::format("the population has no column {}", attribute.name),
                   "it needs all quasi-identifiers, as the job's input has them"};
    auto hierarchy = hierarchy_of(attribute, *column, job);
    if (!hierarchy) return hierarchy.error();
    made.push_back({column, std::move(*hierarchy)});
  }
  return made;
}

Error not_in_hierarchy(const std::string& column, std::size_t values) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
          fmt::format("{} values of {} in the population are not in its hierarchy", values, column),
          "give the population that the job has"};
}

// [code]: the text as it is shown; nullopt: NULL.
Result<std::vector<std::optional<std::string>>> texts_of(const ShownColumn& from, unsigned level,
                                                         const std::optional<std::string>& null_text) {
  const auto shown = engine::ShownAs::make(from.column->name, from.hierarchy, level);
  if (!shown) return shown.error();
  std::vector<std::optional<std::string>> made;
  std::size_t missing = 0;
  for (const auto& value : from.column->values) {
    const auto* text = shown->find(value);
    missing += text == nullptr ? 1 : 0;
    made.push_back(text == nullptr || *text == null_text ? std::nullopt : std::optional(*text));
  }
  if (missing > 0) return not_in_hierarchy(from.column->name, missing);
  return made;
}

}  // namespace

Result<void> add_population(const Job& job, const engine::Table& population, std::span<const unsigned> levels,
                            engine::TableCheck& check) {
  const auto columns = shown_columns(job, population);
  if (!columns) return columns.error();
  if (levels.size() != columns->size())
    return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
                 fmt::format("{} levels for {} quasi-identifiers", levels.size(), columns->size()),
                 "give one for each, in the job's order"};
  std::vector<std::vector<std::optional<std::string>>> texts;
  for (std::size_t i = 0; i < columns->size(); ++i) {
    auto made = texts_of((*columns)[i], levels[i], job.null_text);
    if (!made) return made.error();
    texts.push_back(std::move(*made));
  }
  std::vector<std::optional<std::string_view>> cells(texts.size());
  for (std::size_t row = 0; row < population.rows(); ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto& text = texts[i][(*columns)[i].column->codes.at(row)];
      cells[i] = text ? std::optional<std::string_view>(*text) : std::nullopt;
    }
    check.add_population(cells);
  }
  return {};
}

Result<std::vector<unsigned>> levels_shown(const Job& job, const engine::Table& population,
                                           const engine::Table& published) {
  const auto columns = shown_columns(job, population);
  if (!columns) return columns.error();
  std::vector<const engine::Column*> shown;
  for (const auto& it : *columns) {
    shown.push_back(published.find(it.column->name));
    if (shown.back() == nullptr)
      return Error{ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
                   fmt::format("the table has no column {}", it.column->name), "names are case-sensitive"};
  }
  std::vector<std::set<std::string>> texts(shown.size());
  for (std::size_t row = 0; row < published.rows(); ++row) {
    const auto text = [&](const engine::Column* it) -> const std::string& {
      return it->values[it->codes.at(row)];
    };
    const bool is_starred =
        std::ranges::all_of(shown, [&](const auto* it) { return text(it) == engine::kSuppressed; });
    for (std::size_t i = 0; i < shown.size() && !is_starred; ++i) texts[i].insert(text(shown[i]));
  }
  std::vector<unsigned> levels;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto level = engine::level_shown(shown[i]->name, (*columns)[i].hierarchy, texts[i]);
    if (!level) return level.error();
    levels.push_back(*level);
  }
  return levels;
}

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

Result<ModelRecount> recount_models(const Job& job, const JobData& data,
                                    const engine::Publication& publication,
                                    std::span<const unsigned> levels) {
  auto columns = checked_columns(job, data.table);
  if (!columns) return columns.error();
  const bool has_population = job.presence || job.k_map;
  if (columns->empty() && job.risks.empty() && !has_population && !job.unit) return ModelRecount();
  for (auto& column : *columns) column.expected = counted(*data.table.find(column.name), data, job.null_text);
  auto places = places_of(publication, *columns);
  if (job.unit) {
    places.unit = data.table.find(*job.unit);
    columns->push_back(CheckedColumn{*job.unit, {units_of_class(job)}});
  }
  engine::TableCheck check(*columns);
  add_rows(publication, places, check);
  if (has_population) {
    if (auto added = add_population(job, data.table, levels, check); !added) return added.error();
  }
  const auto found = check.finish({job.k, job.suppressed_records, 0, job.risks, job.presence, job.k_map,
                                   publication.dropped_rows + publication.hidden_rows > 0});
  if (!found) return found.error();
  if (found->is_kept()) {
    ModelRecount made;
    if (job.unit) made.fewest_units = found->columns.back().distinct_l;
    return made;
  }
  std::string broken;
  for (const auto& it : found->demands) {
    if (!it.is_kept())
      broken += fmt::format("{}{}{}", broken.empty() ? "" : ", ", it.column.empty() ? "" : it.column + " ",
                            it.model);
  }
  return Error{ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
               fmt::format("the recount of the output failed: {} of its {} classes break {}",
                           found->offending_classes, found->classes, broken),
               "nothing was published. This is a bug in pgveil; please report it"};
}

}  // namespace pgveil::app
