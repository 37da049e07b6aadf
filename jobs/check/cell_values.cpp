#include "jobs/check/cell_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace pgveil::app {
namespace {

CellCodes codes_of(const std::vector<bool>& flags) {
  CellCodes made;
  for (std::size_t code = 0; code < flags.size(); ++code) {
    if (flags[code]) made.push_back(static_cast<engine::Code>(code));
  }
  return made;
}

}  // namespace

ValuesByClass values_by_class(const ShownValues& shown, const engine::Column& column, std::size_t place,
                              const PublishedClasses& classes) {
  std::map<engine::Code, CellCodes> found;
  ValuesByClass made;
  for (const auto& cells : classes.shown) {
    const auto [values, is_new] = found.try_emplace(cells[place]);
    if (is_new) values->second = codes_of(shown.covered(column.values[cells[place]]));
    made.push_back(values->second);
  }
  return made;
}

ValuesByClass values_by_class(const AggregatedValues& shown, const engine::Column& column, std::size_t place,
                              const PublishedClasses& classes) {
  std::map<std::pair<engine::Code, std::uint64_t>, CellCodes> found;  // by the number of records, too
  ValuesByClass made;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto code = classes.shown[c][place];
    const std::uint64_t records = classes.rows[c].size();
    const auto [values, is_new] = found.try_emplace({code, records});
    if (is_new) values->second = codes_of(shown.possible(column.values[code], records));
    made.push_back(values->second);
  }
  return made;
}

Result<AggregatesByName> aggregated_values(const PublishedFile& release, const engine::Table& input) {
  const auto columns = columns_of(*release.job, *release.published, Asked::quasi_identifiers);
  AggregatesByName made;
  for (const auto& attribute : release.job->attributes) {
    if (!attribute.aggregate) continue;
    const auto place = std::ranges::find(columns, attribute.name, &engine::Column::name) - columns.begin();
    std::optional<unsigned> level;
    if (release.transformations.size() == 1)
      level = release.transformations.front()[static_cast<std::size_t>(place)];
    auto one = AggregatedValues::make(attribute, *input.find(attribute.name), *release.job, level);
    if (!one) return one.error();
    made.emplace(attribute.name, std::move(*one));
  }
  return made;
}

Result<void> check_values(const ValuesByClass& values, const engine::Column& column, std::size_t place,
                          const PublishedClasses& classes) {
  std::set<std::string> strange;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (values[c].empty()) strange.insert(column.values[classes.shown[c][place]]);
  }
  if (strange.empty()) return {};
  return no_release(
      fmt::format("{} texts of {} in the file stand for no value of the input", strange.size(), column.name),
      fmt::format("{}", fmt::join(strange, ", ")));
}

}  // namespace pgveil::app
