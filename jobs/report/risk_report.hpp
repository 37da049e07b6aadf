#pragma once
// What `pgveil risk` found, for people and for programs: names of columns, counts and shares, but never a
// value of the data.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/risk/class_sizes.hpp"
#include "engine/risk/identifying_sets.hpp"
#include "engine/risk/population_uniqueness.hpp"
#include "engine/risk/safe_harbor.hpp"

namespace pgveil::app {

struct RiskReport {
  std::string table;                 // "file people.csv"
  std::vector<std::string> columns;  // that the attackers know
  double threshold = 0;
  engine::RiskFigures figures;
  std::string population;  // the table for the journalist's risk; empty: none
  std::optional<engine::PopulationUniqueness> uniqueness;
  std::vector<engine::Identifying> sets;  // those that separate best come first
  std::vector<engine::SafeHarborHint> hints;
};

[[nodiscard]] std::string risk_text(const RiskReport& report);
[[nodiscard]] std::string risk_json(const RiskReport& report);
[[nodiscard]] std::string risk_html(const RiskReport& report);

// Rows of subject, figure and value, in the order of the text.
[[nodiscard]] std::vector<std::vector<std::string>> risk_rows(const RiskReport& report);

}  // namespace pgveil::app
