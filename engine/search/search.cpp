#include "engine/search/search.hpp"

#include <fmt/format.h>

#include <cmath>

#include "common/assert.hpp"
#include "engine/search/algorithms.hpp"
#include "engine/search/group_bound.hpp"

namespace pgveil::engine {
namespace {

Result<Lattice> restricted_lattice(const PreparedTable& table, const SearchOptions& options) {
  Lattice lattice = table.lattice;
  for (const auto* levels : {&options.min_levels, &options.max_levels}) {
    if (levels->empty() || levels->size() == lattice.attributes) continue;
    return invalid_input(
        fmt::format("{} levels for {} quasi-identifiers", levels->size(), lattice.attributes),
        "give one for each");
  }
  for (std::size_t i = 0; i < lattice.attributes; ++i) {
    const auto j = table.given_order[i];
    const unsigned height = table.attributes[j].height();
    const unsigned low = options.min_levels.empty() ? 0 : options.min_levels[i];
    const unsigned high = options.max_levels.empty() ? height : options.max_levels[i];
    if (low > high || high > height) {
      return invalid_input(
          fmt::format("levels {} to {} of {} do not exist", low, high, table.attributes[j].name),
          fmt::format("it has levels 0 to {}", height));
    }
    lattice.bottom.set_level(j, low);
    lattice.top.set_level(j, high);
  }
  return lattice;
}

// Everything that distinguishes one algorithm from another.
struct Facts {
  std::string_view name;
  void (*run)(Explorer&) = nullptr;
  bool is_heuristic = false;
  bool walks_the_lattice = false;
  bool leaves_some_unsettled = false;  // if the metric is not monotonic or anonymity is not inherited
};

Facts facts_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::flash:
      return {.name = "flash", .run = run_flash, .walks_the_lattice = true, .leaves_some_unsettled = true};
    case Algorithm::ola:
      return {.name = "ola", .run = run_ola, .walks_the_lattice = true, .leaves_some_unsettled = true};
    case Algorithm::incognito:
      return {.name = "incognito",
              .run = run_incognito,
              .walks_the_lattice = true,
              .leaves_some_unsettled = true};
    case Algorithm::depth_first:
      return {.name = "depth_first",
              .run = run_depth_first,
              .walks_the_lattice = true,
              .leaves_some_unsettled = true};
    case Algorithm::breadth_first:
      return {.name = "breadth_first",
              .run = run_breadth_first,
              .walks_the_lattice = true,
              .leaves_some_unsettled = true};
    case Algorithm::brute_force:
      return {.name = "brute_force", .run = run_brute_force, .walks_the_lattice = true};
    case Algorithm::best_first: return {.name = "best_first", .run = run_best_first};
    case Algorithm::beam: return {.name = "beam", .run = run_beam, .is_heuristic = true};
    case Algorithm::igreedy: return {.name = "igreedy", .run = run_igreedy, .is_heuristic = true};
    case Algorithm::datafly: return {.name = "datafly", .run = run_datafly, .is_heuristic = true};
    case Algorithm::samarati:
      return {.name = "samarati", .run = run_samarati, .is_heuristic = true, .walks_the_lattice = true};
  }
  fail_assertion("the algorithm is one of the enumeration", __FILE__, __LINE__);
}

Result<void> check_size(const Lattice& lattice, Algorithm algorithm) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  if (!walks_the_lattice(algorithm) || transformation_count(lattice).value_or(UINT64_MAX) <= kMost) return {};
  return invalid_input(
      fmt::format("{} would walk through more than 2^63 transformations", name(algorithm)),
      fmt::format("take {} or {}, or raise min_level", name(Algorithm::best_first), name(Algorithm::beam)));
}

}  // namespace

std::string_view name(Algorithm algorithm) {
  return facts_of(algorithm).name;
}

bool is_heuristic(Algorithm algorithm) {
  return facts_of(algorithm).is_heuristic;
}

bool walks_the_lattice(Algorithm algorithm) {
  return facts_of(algorithm).walks_the_lattice;
}

std::uint64_t suppression_limit(double rate, std::uint64_t rows) {
  return static_cast<std::uint64_t>(std::floor(rate * static_cast<double>(rows)));
}

Result<SearchResult> search(const PreparedTable& table, const SearchOptions& options) {
  if (options.anonymity.k < 1) return invalid_input("k is below 1", "k is the smallest size of a class");
  if (options.anonymity.k > table.rows) {
    return invalid_input(fmt::format("k is {}, but there are {} rows", options.anonymity.k, table.rows),
                         "lower k");
  }
  if (const auto valid = validate(options.anonymity, shapes_of(table.sensitive), table.has_subset());
      valid.has_error())
    return valid.error();
  if (const auto valid = validate_populations(options.anonymity, table.rows); valid.has_error())
    return valid.error();
  if (const auto valid = validate(options.quality, table.attributes.size()); valid.has_error())
    return valid.error();
  const auto lattice = restricted_lattice(table, options);
  if (lattice.has_error()) return lattice.error();
  if (const auto checked = check_size(*lattice, options.algorithm); checked.has_error())
    return checked.error();

  const Quality quality(table, options.quality, options.anonymity.suppression_limit);
  Explorer explorer(table, *lattice, quality, options);
  const Facts facts = facts_of(options.algorithm);
  // best_first does it itself. The dive comes first, so that a search that is stopped has a result.
  if (facts.walks_the_lattice && !facts.is_heuristic && is_bounded_by_groups(explorer)) {
    dive(explorer);
    raise_bound_by_small_groups(explorer);
  }
  facts.run(explorer);
  if (facts.is_heuristic) raise_bound_by_small_groups(explorer);
  if (facts.leaves_some_unsettled) score_the_rest(explorer);
  return std::move(explorer).result();
}

}  // namespace pgveil::engine
