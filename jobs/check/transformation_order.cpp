#include "jobs/check/transformation_order.hpp"

#include <type_traits>

namespace pgveil::app {
namespace {

// Numbers the raw codes by what `part` takes of their cells in all transformations.
template <class Part>
TransformationOrder::Codes kinds_by(const std::vector<TransformationOrder::Step>& steps, std::size_t column,
                                    Part part) {
  using Taken = std::invoke_result_t<Part, const TransformationOrder::Cell&>;
  std::map<std::vector<Taken>, engine::Code> known;
  TransformationOrder::Codes kinds;
  for (std::size_t code = 0; code < steps.front()[column].size(); ++code) {
    std::vector<Taken> cells;
    for (const auto& step : steps) cells.push_back(part(step[column][code]));
    kinds.push_back(known.emplace(std::move(cells), static_cast<engine::Code>(known.size())).first->second);
  }
  return kinds;
}

}  // namespace

std::optional<TransformationOrder::Place> TransformationOrder::place_of(const Codes& raw) const {
  Codes cells;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    cells.clear();
    for (std::size_t i = 0; i < raw.size() && step[i][raw[i]].shown; ++i)
      cells.push_back(*step[i][raw[i]].shown);
    const auto found = cells.size() == raw.size() ? class_of_.find(cells) : class_of_.end();
    if (found != class_of_.end()) return Place{found->second, s};
  }
  return std::nullopt;
}

TransformationOrder::Codes TransformationOrder::values_at(std::size_t step, const Codes& raw) const {
  Codes made;
  for (std::size_t i = 0; i < raw.size(); ++i) made.push_back(steps_[step][i][raw[i]].value);
  return made;
}

TransformationOrder::Codes TransformationOrder::kinds_of(std::size_t column) const {
  return kinds_by(steps_, column, [](const Cell& cell) { return cell.shown; });
}

TransformationOrder::Codes TransformationOrder::fine_kinds_of(std::size_t column) const {
  return kinds_by(steps_, column, [](const Cell& cell) { return cell; });
}

}  // namespace pgveil::app
