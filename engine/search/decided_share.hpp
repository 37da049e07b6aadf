#pragma once
// How much of a lattice is decided: of all its transformations if they are few, else of a sample that is the
// same each time. What is decided stays so, so it is asked for once; the share never falls.
#include <algorithm>
#include <vector>

#include "engine/lattice/lattice.hpp"

namespace pgveil::engine {

class DecidedShare {
 public:
  static constexpr std::size_t kSample = 1024;

  explicit DecidedShare(const Lattice& lattice);

  // From 0 to 1.
  template <class IsDecided>
  [[nodiscard]] double measure(IsDecided&& is_decided) {
    std::erase_if(open_, is_decided);
    return 1 - static_cast<double>(open_.size()) / static_cast<double>(size_);
  }

 private:
  std::vector<Transformation> open_;
  std::size_t size_;
};

}  // namespace pgveil::engine
