#pragma once
// What a job did to the usefulness of its table: as text, as JSON, and with everything else of its report as
// a page. Never a value of the data.
#include <string>

#include <boost/json.hpp>

#include "jobs/report/report.hpp"

namespace pgveil::app {

[[nodiscard]] std::string utility_text(const engine::Utility& utility);
[[nodiscard]] boost::json::object utility_json(const engine::Utility& utility);

// One file that loads nothing. REQUIRES: report.utility.
[[nodiscard]] std::string report_html(const JobReport& report);

}  // namespace pgveil::app
