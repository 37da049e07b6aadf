#include "bench/utility/classifier.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/publish/classifier.hpp"

namespace pgveil::bench::utility {

namespace {

constexpr std::size_t kClasses = 2;

std::vector<std::uint32_t> classes_by_row(const Set& set) {
  return {set.classes.begin(), set.classes.end()};
}

}  // namespace

double accuracy(const Set& set, const Masked& masked) {
  const auto classes = classes_by_row(set);
  std::vector<std::uint8_t> is_published;
  for (const char is_dropped : masked.is_dropped) is_published.push_back(is_dropped == 0 ? 1 : 0);
  engine::Examples examples{{}, classes, kClasses, is_published};
  for (std::size_t a = 0; a < set.dimensions.size(); ++a) {
    const Dimension& dimension = set.dimensions[a];
    const MaskedColumn& column = masked.columns[a];
    examples.features.push_back(
        {dimension.codes, dimension.values.size(), dimension.null_code, column.cells, column.covers});
  }
  return engine::accuracy(examples);
}

double majority(const Set& set) {
  const auto classes = classes_by_row(set);
  return engine::share_of_most_frequent({{}, classes, kClasses, {}});
}

}  // namespace pgveil::bench::utility
