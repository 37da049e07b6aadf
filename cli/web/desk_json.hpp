#pragma once
// What the page is told of uploads and of runs, as JSON (docs/openapi.yaml). Pure.
#include <boost/json/object.hpp>

#include "cli/web/desk.hpp"
#include "engine/data/table.hpp"

namespace pgveil::cli {

[[nodiscard]] boost::json::object upload_json(const UploadInfo& upload);

// Columns with hints for who classifies them. Quotes values, for whoever brought them.
[[nodiscard]] boost::json::object columns_json(const engine::Table& table);

// State and progress; of a run that is done also its report.
[[nodiscard]] boost::json::object run_json(const DeskRun& run);
[[nodiscard]] boost::json::object measures_json(const DeskMeasures& measures);

}  // namespace pgveil::cli
