#pragma once
// What a job did to the usefulness of its table: as text, as JSON, and together with the rest of its report
// as an HTML page. Never has a value of the data.
#include <string>

#include <boost/json.hpp>

#include "jobs/report/report.hpp"

namespace pgveil::app {

[[nodiscard]] std::string utility_text(const engine::Utility& utility);
[[nodiscard]] boost::json::object utility_json(const engine::Utility& utility);

// One file that loads nothing else. It has the columns if report.utility is set.
[[nodiscard]] std::string report_html(const JobReport& report);

}  // namespace pgveil::app
