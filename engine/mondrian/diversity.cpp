#include "engine/mondrian/diversity.hpp"

#include <cmath>

namespace pgveil::engine {

bool is_diverse(const GroupDiversity& diversity, RunScratch& scratch, std::uint32_t low, std::uint32_t high) {
  const auto n = static_cast<double>(scratch.numbers.size());
  std::uint64_t distinct = 0;
  double sum = 0;
  for_each_run(scratch, low, high, [&](std::uint32_t, std::uint64_t count) {
    ++distinct;
    const auto f = static_cast<double>(count);
    sum += f * std::log(f);
  });
  if (static_cast<double>(distinct) < std::ceil(diversity.l)) return false;
  switch (diversity.kind) {
    case GroupDiversity::Kind::distinct: return true;
    case GroupDiversity::Kind::entropy: return sum <= n * (std::log(n) - std::log(diversity.l));
  }
  return false;
}

}  // namespace pgveil::engine
