#include "engine/search/group_bound.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/search/algorithms.hpp"

namespace pgveil::engine {
namespace {

constexpr std::uint64_t kMostInGroup = std::uint64_t{1} << 20;  // transformations

// Bits of attributes. Those with many values are spread over the groups, so that all are of about one size.
std::vector<std::uint64_t> groups_of(const Explorer& explorer, std::size_t groups) {
  const Lattice& lattice = explorer.lattice();
  std::vector<std::size_t> attributes(lattice.attributes);
  std::iota(attributes.begin(), attributes.end(), std::size_t{0});
  std::ranges::stable_sort(attributes, std::greater<>(), [&](std::size_t j) {
    return explorer.table().attributes[j].distinct(lattice.bottom.level(j));
  });
  std::vector<std::uint64_t> made(groups);
  for (std::size_t i = 0; i < attributes.size(); ++i) made[i % groups] |= std::uint64_t{1} << attributes[i];
  return made;
}

bool is_possible(const Explorer& explorer) {
  return explorer.options().pruning == Pruning::bounds && explorer.quality().is_combined() &&
         suppressed_stay_suppressed(explorer.options().anonymity);
}

bool are_small(const Explorer& explorer, std::size_t groups) {
  return std::ranges::all_of(groups_of(explorer, groups), [&](std::uint64_t group) {
    const auto all = transformation_count(subset_lattice(explorer.lattice(), group));
    return all && *all <= kMostInGroup;
  });
}

std::size_t fewest_small_groups(const Explorer& explorer) {
  std::size_t groups = 1;
  while (groups < explorer.lattice().attributes && !are_small(explorer, groups)) ++groups;
  return groups;
}

}  // namespace

void raise_bound_by_groups(Explorer& explorer, std::size_t groups) {
  if (!is_possible(explorer)) return;
  std::vector<double> scores;
  for (const std::uint64_t group : groups_of(explorer, groups)) {
    if (explorer.is_stopped()) break;  // a group that is left out scores at least 0
    const SearchOptions options = explorer.options_of_part();
    Explorer part(explorer.table(), subset_lattice(explorer.lattice(), group), explorer.quality(), options);
    dive(part);
    prove_best_first(part);
    if (const auto bound = explorer.take_over(std::move(part))) scores.push_back(*bound);
  }
  explorer.raise_lower_bound(explorer.quality().combined_bound(scores));
}

bool is_bounded_by_groups(const Explorer& explorer) {
  return is_possible(explorer) && is_large(explorer.lattice());
}

void raise_bound_by_small_groups(Explorer& explorer) {
  if (is_bounded_by_groups(explorer)) raise_bound_by_groups(explorer, fewest_small_groups(explorer));
}

void raise_bound_by_larger_groups(Explorer& explorer) {
  if (!is_bounded_by_groups(explorer)) return;
  for (std::size_t groups = fewest_small_groups(explorer); groups > 1 && !explorer.is_stopped(); --groups)
    raise_bound_by_groups(explorer, groups);
}

}  // namespace pgveil::engine
