#pragma once
// What a model is worth that somebody trains on a masked table: the product's classifier
// (engine/publish/classifier.hpp) over the quasi-identifiers of a set.
#include "bench/utility/masked.hpp"
#include "bench/utility/sets.hpp"

namespace pgveil::bench::utility {

// The share of rows whose class is predicted by a model that learned from the masked rows.
[[nodiscard]] double accuracy(const Set& set, const Masked& masked);

// The share of the more frequent class.
[[nodiscard]] double majority(const Set& set);

}  // namespace pgveil::bench::utility
