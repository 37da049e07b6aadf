#include "engine/mondrian/diversity.hpp"

#include <cmath>

#include "common/frequencies.hpp"

namespace pgveil::engine {

bool is_diverse(const GroupDiversity& diversity, RunScratch& scratch, std::uint32_t low, std::uint32_t high) {
  switch (diversity.kind) {
    case GroupDiversity::Kind::distinct: {
      std::uint64_t distinct = 0;
      for_each_run(scratch, low, high, [&](std::uint32_t, std::uint64_t) { ++distinct; });
      return static_cast<double>(distinct) >= std::ceil(diversity.l);
    }
    case GroupDiversity::Kind::entropy: {
      EntropySum sum;
      for_each_run(scratch, low, high, [&](std::uint32_t, std::uint64_t count) { sum.add(count); });
      return has_entropy(sum, diversity.l);
    }
  }
  return false;
}

}  // namespace pgveil::engine
