#pragma once
// Which class of a published file shows a combination of quasi-identifiers, for somebody who knows the
// transformations of its job and their order: the first transformation that makes cells of the file out of
// the combination. Later ones show only what the earlier ones did not. Pure.
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/data/code_column.hpp"

namespace pgveil::app {

class TransformationOrder {
 public:
  using Codes = std::vector<engine::Code>;
  // One transformation: [column][raw code] is the published code; nullopt: no record shows this cell.
  using Step = std::vector<std::vector<std::optional<engine::Code>>>;

  TransformationOrder() = default;
  // class_of: by the published codes of the columns.
  TransformationOrder(std::vector<Step> steps, std::map<Codes, std::size_t> class_of)
      : steps_(std::move(steps)), class_of_(std::move(class_of)) {}

  // False: no transformation is known.
  [[nodiscard]] bool is_known() const { return !steps_.empty(); }
  // raw: a code for each column. nullopt: no transformation shows it, so its records are suppressed.
  [[nodiscard]] std::optional<std::size_t> class_of(const Codes& raw) const;
  // [raw code] of a column: equal numbers have equal cells in all transformations.
  [[nodiscard]] Codes kinds_of(std::size_t column) const;

 private:
  std::vector<Step> steps_;
  std::map<Codes, std::size_t> class_of_;
};

}  // namespace pgveil::app
