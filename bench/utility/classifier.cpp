#include "bench/utility/classifier.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pgveil::bench::utility {

namespace {

constexpr std::size_t kFolds = 5;
using PerClass = std::array<double, 2>;

struct Model {
  PerClass rows = {};
  std::vector<std::vector<PerClass>> scores;  // ln P(value | class), by column and code
};

void count_cells(const Set& set, const Masked& masked, std::size_t fold, std::size_t a, Model& model) {
  const MaskedColumn& column = masked.columns[a];
  std::vector<PerClass> cells(column.covers.size(), PerClass{});
  for (std::size_t row = 0; row < set.rows(); ++row) {
    if (row % kFolds != fold && masked.is_dropped[row] == 0) cells[column.cells[row]][set.classes[row]] += 1;
  }
  auto& counts = model.scores[a];
  counts.assign(set.dimensions[a].values.size(), PerClass{1, 1});
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const auto& covers = column.covers[cell];
    if (covers.size() == counts.size()) continue;
    for (const std::uint32_t code : covers) {
      for (std::size_t c = 0; c < 2; ++c)
        counts[code][c] += cells[cell][c] / static_cast<double>(covers.size());
    }
  }
  PerClass sums = {};
  for (const PerClass& count : counts) {
    for (std::size_t c = 0; c < 2; ++c) sums[c] += count[c];
  }
  for (PerClass& count : counts) {
    for (std::size_t c = 0; c < 2; ++c) count[c] = std::log(count[c] / sums[c]);
  }
}

Model train(const Set& set, const Masked& masked, std::size_t fold) {
  Model model;
  for (std::size_t row = 0; row < set.rows(); ++row) {
    if (row % kFolds != fold && masked.is_dropped[row] == 0) model.rows[set.classes[row]] += 1;
  }
  model.scores.resize(set.dimensions.size());
  for (std::size_t a = 0; a < set.dimensions.size(); ++a) count_cells(set, masked, fold, a, model);
  return model;
}

std::size_t predict(const Set& set, const Model& model, std::size_t row) {
  PerClass scores = {std::log(model.rows[0] + 1), std::log(model.rows[1] + 1)};
  for (std::size_t a = 0; a < set.dimensions.size(); ++a) {
    const std::uint32_t code = set.dimensions[a].codes[row];
    if (set.dimensions[a].null_code == code) continue;
    for (std::size_t c = 0; c < 2; ++c) scores[c] += model.scores[a][code][c];
  }
  return scores[1] > scores[0] ? 1 : 0;
}

}  // namespace

double accuracy(const Set& set, const Masked& masked) {
  double right = 0;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    const Model model = train(set, masked, fold);
    for (std::size_t row = fold; row < set.rows(); row += kFolds)
      right += predict(set, model, row) == set.classes[row] ? 1 : 0;
  }
  return right / static_cast<double>(set.rows());
}

double majority(const Set& set) {
  const auto ones = static_cast<double>(std::ranges::count(set.classes, 1));
  const double share = ones / static_cast<double>(set.rows());
  return std::max(share, 1 - share);
}

}  // namespace pgveil::bench::utility
