#pragma once
// What the page is told of uploads and of runs, as JSON (docs/openapi.yaml). Pure.
#include <boost/json/object.hpp>

#include "engine/data/table.hpp"
#include "web/api/page_jobs.hpp"

namespace pgveil::app {

[[nodiscard]] boost::json::object upload_json(const UploadInfo& upload);

// Columns with hints for whoever chooses their classes. Quotes values, for the admin who brought the file.
[[nodiscard]] boost::json::object columns_json(const engine::Table& table);

// The run with its state only, for who may no longer see what it found.
[[nodiscard]] PageJobRun without_figures(PageJobRun run);

// State and progress. For a run that is done, also its report.
[[nodiscard]] boost::json::object run_json(const PageJobRun& run);
[[nodiscard]] boost::json::object measures_json(const PageJobMeasures& measures);

}  // namespace pgveil::app
