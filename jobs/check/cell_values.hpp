#pragma once
// Which values of the input can be behind the cells of one column of a published file, by class: those that a
// text covers (shown_values.hpp), or those that records of a class of its size can have if it shows an
// aggregate (aggregated_values.hpp). For attacks on files. Pure.
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "engine/data/table.hpp"
#include "jobs/check/aggregated_values.hpp"
#include "jobs/check/published_classes.hpp"
#include "jobs/check/shown_values.hpp"

namespace pgveil::app {

// [class]: raw codes of the column in the input, ascending. Empty: the cell stands for no value of the input.
using ValuesByClass = std::vector<CellCodes>;

// place: of the column among the quasi-identifiers.
[[nodiscard]] ValuesByClass values_by_class(const ShownValues& shown, const engine::Column& column,
                                            std::size_t place, const PublishedClasses& classes);
[[nodiscard]] ValuesByClass values_by_class(const AggregatedValues& shown, const engine::Column& column,
                                            std::size_t place, const PublishedClasses& classes);

// Of each aggregated attribute, by its name. If the file's only transformation is known, classes are below
// one node at its level. The input and the job outlive the result. REQUIRES: the file and the input have the
// columns. Errors: those of AggregatedValues::make.
using AggregatesByName = std::map<std::string, AggregatedValues>;
[[nodiscard]] Result<AggregatesByName> aggregated_values(const PublishedFile& release,
                                                         const engine::Table& input);

// Errors: no_release, if a cell stands for no value.
[[nodiscard]] Result<void> check_values(const ValuesByClass& values, const engine::Column& column,
                                        std::size_t place, const PublishedClasses& classes);

}  // namespace pgveil::app
