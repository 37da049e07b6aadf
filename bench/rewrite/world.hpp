#pragma once
// A database for the benchmark: table people under a policy whose tree has about as many cohorts as asked
// for, open table orders, and the roles "masked" (reads people through its mask) and "exempt" (reads it as it
// is).
#include <cstddef>
#include <memory>

#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::bench {

struct World {
  std::shared_ptr<const rewriter::Snapshot> snapshot;
  std::size_t cohorts = 0;
  std::size_t mask_bytes = 0;
};

// rows: how many people are drawn (from a fixed seed) before the tree is built; more rows, more cohorts.
[[nodiscard]] World make_world(std::size_t attributes, std::size_t rows, std::size_t k);

}  // namespace pgveil::bench
