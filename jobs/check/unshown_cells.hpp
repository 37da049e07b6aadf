#pragma once
// Which records a transformation can have left to later ones, if only classes below k are left: at most k − 1
// for each combination of values at its levels (a cell). For the refinement attack (refinement.hpp). Bounds
// of how many records of each class are in each cell are narrowed until nothing changes, or for some rounds:
//
//   most  = min(most, k − 1 − what the other classes have at least in the cell,
//               records of the class − what it has at least in other cells)
//   least = max(least, records of the class − what it has at most in other cells)
//
// A cell with most = 0 is excluded for the class, and so are the combinations of values in it. Pure.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "jobs/check/transformation_order.hpp"

namespace pgveil::app {

// A class with the combinations of values, one raw code for each column, that its records can have.
struct OpenClass {
  std::uint64_t records = 0;
  std::vector<TransformationOrder::Codes> combinations;
  // Not all combinations were tried. Then its records can be in any cell.
  bool is_open = false;
};

class UnshownCells {
 public:
  // k: ≥ 1. REQUIRES: the order is known.
  UnshownCells(const TransformationOrder& order, std::uint64_t k, std::vector<OpenClass> classes);

  // With the combinations that the sizes do not exclude.
  [[nodiscard]] const OpenClass& class_at(std::size_t number) const { return classes_[number]; }
  // How many records of the class at least have each value of a column, because each cell that was not shown
  // has at most k − 1 records. Values that no record must have are left out.
  [[nodiscard]] std::map<engine::Code, std::uint64_t> least_of(std::size_t number, std::size_t column) const;

 private:
  using Cell = std::uint32_t;
  static constexpr Cell kNoCell = UINT32_MAX;
  struct Bounds {
    Cell cell = 0;
    std::uint64_t least = 0, most = 0;
  };

  void find_cells(const TransformationOrder& order);
  [[nodiscard]] std::vector<Bounds> bounds_of(std::size_t number, std::size_t step) const;
  [[nodiscard]] bool holds_all(std::size_t number, std::size_t step) const;
  bool narrow(std::size_t step);
  bool exclude(std::size_t step, const std::vector<std::vector<Bounds>>& bounds);

  std::uint64_t most_;  // records in a cell that was not shown
  std::size_t steps_;
  std::vector<OpenClass> classes_;
  // [class][combination][step]: the cell in which the transformation left it; kNoCell: it was shown by then.
  std::vector<std::vector<std::vector<Cell>>> cells_;
  std::vector<std::size_t> cells_of_step_;  // their number
};

}  // namespace pgveil::app
