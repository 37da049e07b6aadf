#include "jobs/check/transformation_order.hpp"

namespace pgveil::app {

std::optional<std::size_t> TransformationOrder::class_of(const Codes& raw) const {
  Codes cells;
  for (const Step& step : steps_) {
    cells.clear();
    for (std::size_t i = 0; i < raw.size() && step[i][raw[i]]; ++i) cells.push_back(*step[i][raw[i]]);
    const auto found = cells.size() == raw.size() ? class_of_.find(cells) : class_of_.end();
    if (found != class_of_.end()) return found->second;
  }
  return std::nullopt;
}

TransformationOrder::Codes TransformationOrder::kinds_of(std::size_t column) const {
  std::map<std::vector<std::optional<engine::Code>>, engine::Code> known;
  Codes kinds;
  for (std::size_t code = 0; code < steps_.front()[column].size(); ++code) {
    std::vector<std::optional<engine::Code>> cells;
    for (const Step& step : steps_) cells.push_back(step[column][code]);
    kinds.push_back(known.emplace(std::move(cells), static_cast<engine::Code>(known.size())).first->second);
  }
  return kinds;
}

}  // namespace pgveil::app
