#pragma once
// Measures the risks of the rows that a job reads from a table, before the job changes them, because the rows
// are nowhere else when it has ended. Thread-safe: the job's thread brings the rows, and threads of the page
// ask for the figures.
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/table.hpp"
#include "engine/risk/class_sizes.hpp"

namespace pgveil::app {

class InputRisk {
 public:
  // Measures these columns. threshold: as in measure_risk.
  InputRisk(std::vector<std::string> columns, double threshold)
      : columns_(std::move(columns)), threshold_(threshold) {}

  void measure(const engine::Table& input);
  // nullopt: no rows were read, or they cannot be measured.
  [[nodiscard]] std::optional<engine::RiskFigures> figures() const;

 private:
  const std::vector<std::string> columns_;
  const double threshold_;
  mutable std::mutex mutex_;
  std::optional<engine::RiskFigures> figures_;
};

}  // namespace pgveil::app
