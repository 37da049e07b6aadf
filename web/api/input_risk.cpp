#include "web/api/input_risk.hpp"

#include <utility>

namespace pgveil::app {

void InputRisk::measure(const engine::Table& input) {
  auto measured = engine::measure_risk(input, columns_, threshold_);
  if (!measured) return;
  const std::lock_guard lock(mutex_);
  figures_ = std::move(*measured);
}

std::optional<engine::RiskFigures> InputRisk::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

}  // namespace pgveil::app
