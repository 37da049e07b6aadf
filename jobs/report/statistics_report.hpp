#pragma once
// Summary statistics of what a job published, as JSON. They have values of the input, so the file is for the
// owner of the data only.
#include <string>
#include <vector>

#include "engine/publish/column_summary.hpp"

namespace pgveil::app {

[[nodiscard]] std::string statistics_json(const std::vector<engine::ColumnSummary>& columns);

}  // namespace pgveil::app
