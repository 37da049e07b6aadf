#pragma once
// The risk-utility frontier of a job: the best transformation for each of several risk thresholds, as a
// table, a plot of text and JSON. A threshold is a k; a limit on the risk of re-identification stands for the
// smallest k that keeps it.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/report/report.hpp"

namespace pgveil::app {

// Reads "2,5,10" or "50%,20%,10%", also mixed: k from 1 to 2^32, risks above 0 % and up to 100 %. The result
// is ascending without duplicates. Errors: anything else; more than 64.
[[nodiscard]] Result<std::vector<std::uint64_t>> thresholds_of(std::string_view text);

// One report per threshold, as search_thresholds() makes them. A threshold at which nothing is anonymous, or
// that is above the number of rows, gets a row that says so.
[[nodiscard]] std::string frontier_text(const std::vector<JobReport>& reports);
[[nodiscard]] std::string frontier_json(const std::vector<JobReport>& reports);

}  // namespace pgveil::app
