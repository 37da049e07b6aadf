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
  // One transformation, by column and raw code: the value that its level gives, as a number that other values
  // of the level do not have, and the published code. nullopt: no record shows this cell.
  struct Cell {
    engine::Code value = 0;
    std::optional<engine::Code> shown;
    auto operator<=>(const Cell&) const = default;
  };
  using Step = std::vector<std::vector<Cell>>;
  struct Place {
    std::size_t class_number = 0, step = 0;
  };

  TransformationOrder() = default;
  // class_of: by the published codes of the columns.
  TransformationOrder(std::vector<Step> steps, std::map<Codes, std::size_t> class_of)
      : steps_(std::move(steps)), class_of_(std::move(class_of)) {}

  // False: no transformation is known.
  [[nodiscard]] bool is_known() const { return !steps_.empty(); }
  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  // raw: a code for each column. nullopt: no transformation shows it, so its records are suppressed.
  [[nodiscard]] std::optional<Place> place_of(const Codes& raw) const;
  // What the levels of a transformation give for the combination: one number for each column.
  [[nodiscard]] Codes values_at(std::size_t step, const Codes& raw) const;
  // [raw code] of a column: equal numbers have equal published codes in all transformations.
  [[nodiscard]] Codes kinds_of(std::size_t column) const;
  // The same, but also the values that the levels give are equal.
  [[nodiscard]] Codes fine_kinds_of(std::size_t column) const;

 private:
  std::vector<Step> steps_;
  std::map<Codes, std::size_t> class_of_;
};

}  // namespace pgveil::app
