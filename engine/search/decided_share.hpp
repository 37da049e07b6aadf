#pragma once
// Tells how much of a lattice is decided. It looks at all transformations if they are few, else at a sample
// that is the same each time. A decided transformation stays decided, so each is only queried until then, and
// the share never falls.
#include <algorithm>
#include <vector>

#include "engine/lattice/lattice.hpp"

namespace pgveil::engine {

class DecidedShare {
 public:
  static constexpr std::size_t kSample = 1024;

  explicit DecidedShare(const Lattice& lattice);

  // Returns a share from 0 to 1.
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
