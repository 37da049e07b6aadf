#pragma once
// What a published table is worth to somebody who trains a model on it: naive Bayes over columns of
// categories, trained on published cells and tried on records that it has not seen and that are as they were.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/data/code_column.hpp"

namespace pgveil::engine {

// A column that the model looks at. All spans outlive it.
struct Feature {
  std::span<const Code> raw;                  // [row]: what is asked about
  std::size_t values = 0;                     // raw codes are below this
  std::optional<Code> null_code;              // of the raw codes: not known
  std::span<const std::uint32_t> cells;       // [row]: what is learned from
  std::span<const std::vector<Code>> covers;  // [cell]: the raw codes that it stands for
};

struct Examples {
  std::vector<Feature> features;
  std::span<const std::uint32_t> classes;      // [row]
  std::size_t class_count = 0;                 // classes are below this; a row of no class has this number
  std::span<const std::uint8_t> is_published;  // [row]: the model may learn from it
};

// The share of rows with a class whose class is predicted, over five folds (row number modulo 5): the
// published rows of four train, the rows of the fifth test. A cell that stands for several values counts for
// each of them with an equal share, one that stands for all values or for none counts as not known. Laplace's
// correction: each value and class was seen once more. Between equal scores the lowest class is predicted. 0
// if no row has a class.
[[nodiscard]] double accuracy(const Examples& examples);

// The share of the most frequent class among the rows with a class.
[[nodiscard]] double share_of_most_frequent(const Examples& examples);

}  // namespace pgveil::engine
