#pragma once
// The risk-utility frontier of a job: the best transformation for each of several thresholds of risk, as a
// table, a plot of text and JSON. A threshold is a k; a limit of the risk of being found again is the least k
// that keeps it.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/report/report.hpp"

namespace pgveil::app {

// "2,5,10" or "50%,20%,10%", mixed too: k from 1 to 2^32, risks above 0 % and up to 100 %. Ascending, each
// once. Errors: anything else; more than 64.
[[nodiscard]] Result<std::vector<std::uint64_t>> thresholds_of(std::string_view text);

// One report per threshold, as search_thresholds() makes them. Where nothing is anonymous there is a row that
// says it.
[[nodiscard]] std::string frontier_text(const std::vector<JobReport>& reports);
[[nodiscard]] std::string frontier_json(const std::vector<JobReport>& reports);

}  // namespace pgveil::app
