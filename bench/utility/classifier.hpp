#pragma once
// What a model is worth that somebody trains on a masked table: naive Bayes over the quasi-identifiers, tried
// on rows that it has not seen and that are as they are.
#include "bench/utility/masked.hpp"
#include "bench/utility/sets.hpp"

namespace pgveil::bench::utility {

// The share of rows whose class is predicted, over five folds: the masked rows of four train, the raw rows of
// the fifth test. A cell that stands for several values counts for each of them with an equal share, one that
// stands for all counts as not known. Between equal scores class 0 is predicted. Laplace's correction.
[[nodiscard]] double accuracy(const Set& set, const Masked& masked);

// The share of the more frequent class.
[[nodiscard]] double majority(const Set& set);

}  // namespace pgveil::bench::utility
