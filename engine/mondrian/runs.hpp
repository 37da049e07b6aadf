#pragma once
// Counts how often each of some small numbers occurs: by counting if they are dense, by sorting otherwise.
// For engine/mondrian only.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace pgveil::engine {

// Scratch memory that is kept between uses.
struct RunScratch {
  std::vector<std::uint32_t> numbers;  // the numbers to count; may be reordered
  std::vector<std::uint32_t> counts;
};

// Calls each(number, count) in ascending order of the numbers. REQUIRES: all are within [low, high].
template <class Each>
void for_each_run(RunScratch& scratch, std::uint32_t low, std::uint32_t high, Each&& each) {
  auto& numbers = scratch.numbers;
  const std::uint64_t width = std::uint64_t{high} - low + 1;
  if (width > 4 * std::uint64_t{numbers.size()}) {
    std::ranges::sort(numbers);
    for (auto at = numbers.begin(); at != numbers.end();) {
      const auto end = std::upper_bound(at, numbers.end(), *at);
      each(*at, static_cast<std::uint64_t>(end - at));
      at = end;
    }
    return;
  }
  scratch.counts.assign(width, 0);
  for (const auto number : numbers) ++scratch.counts[number - low];
  for (std::uint32_t i = 0; i < width; ++i) {
    if (scratch.counts[i] > 0) each(low + i, std::uint64_t{scratch.counts[i]});
  }
}

}  // namespace pgveil::engine
