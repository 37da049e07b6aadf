#include "engine/search/search.hpp"

#include <fmt/format.h>

#include <cmath>

#include "engine/search/algorithms.hpp"

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

void run(Algorithm algorithm, Explorer& explorer) {
  switch (algorithm) {
    case Algorithm::flash: return run_flash(explorer);
    case Algorithm::ola: return run_ola(explorer);
    case Algorithm::incognito: return run_incognito(explorer);
    case Algorithm::depth_first: return run_depth_first(explorer);
    case Algorithm::breadth_first: return run_breadth_first(explorer);
    case Algorithm::brute_force: return run_brute_force(explorer);
    case Algorithm::best_first: return run_best_first(explorer);
    case Algorithm::beam: return run_beam(explorer);
    case Algorithm::igreedy: return run_igreedy(explorer);
    case Algorithm::datafly: return run_datafly(explorer);
    case Algorithm::samarati: return run_samarati(explorer);
  }
}

// Where the metric is not monotonic, or anonymity is not inherited.
bool leaves_some_unsettled(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::flash:
    case Algorithm::ola:
    case Algorithm::incognito:
    case Algorithm::depth_first:
    case Algorithm::breadth_first: return true;
    case Algorithm::brute_force:
    case Algorithm::best_first:
    case Algorithm::beam:
    case Algorithm::igreedy:
    case Algorithm::datafly:
    case Algorithm::samarati: return false;
  }
  return true;
}

Result<void> check_size(const Lattice& lattice, Algorithm algorithm) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  if (!walks_the_lattice(algorithm) || transformation_count(lattice).value_or(UINT64_MAX) <= kMost) return {};
  return invalid_input(
      fmt::format("{} would walk through more than 2^63 transformations", name(algorithm)),
      fmt::format("take {} or {}, or raise min_level", name(Algorithm::best_first), name(Algorithm::beam)));
}

}  // namespace

bool is_heuristic(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::flash:
    case Algorithm::ola:
    case Algorithm::incognito:
    case Algorithm::depth_first:
    case Algorithm::breadth_first:
    case Algorithm::brute_force:
    case Algorithm::best_first: return false;
    case Algorithm::beam:
    case Algorithm::igreedy:
    case Algorithm::datafly:
    case Algorithm::samarati: return true;
  }
  return true;
}

bool walks_the_lattice(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::flash:
    case Algorithm::ola:
    case Algorithm::incognito:
    case Algorithm::depth_first:
    case Algorithm::breadth_first:
    case Algorithm::brute_force:
    case Algorithm::samarati: return true;
    case Algorithm::best_first:
    case Algorithm::beam:
    case Algorithm::igreedy:
    case Algorithm::datafly: return false;
  }
  return true;
}

std::string_view name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::flash: return "flash";
    case Algorithm::ola: return "ola";
    case Algorithm::incognito: return "incognito";
    case Algorithm::depth_first: return "depth_first";
    case Algorithm::breadth_first: return "breadth_first";
    case Algorithm::brute_force: return "brute_force";
    case Algorithm::best_first: return "best_first";
    case Algorithm::beam: return "beam";
    case Algorithm::igreedy: return "igreedy";
    case Algorithm::datafly: return "datafly";
    case Algorithm::samarati: return "samarati";
  }
  return "";
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
  run(options.algorithm, explorer);
  if (leaves_some_unsettled(options.algorithm)) score_the_rest(explorer);
  return std::move(explorer).result();
}

}  // namespace pgveil::engine
