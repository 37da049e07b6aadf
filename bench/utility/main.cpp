// What readers get at the same k from trees, from the full-domain optimum and from Mondrian (README.md).
// Arguments: the clinic's file; --quick leaves out CUP, most k and the error against k.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/utility/compare.hpp"
#include "bench/utility/sets.hpp"

namespace {

using namespace pgveil::bench::utility;
using Ks = std::vector<std::uint64_t>;

void skip(const char* name) {
  fmt::print("\nskipped: {} is not beside the source tree\n", name);
}

void print_targets(const std::optional<Set>& adult, const Set& clinic) {
  fmt::print("\n### One declared column\n\nMean error of its counts in per cent.\n");
  print_error_heading(1, true);
  if (adult) compare_targets(*adult, {{"occupation", 5, 7}, {"age", 5, 7}});
  compare_targets(clinic, {{"city", 5, 1}, {"city", 50, 1}, {"birth_year", 5, 1}, {"birth_year", 50, 1}});
}

std::vector<Names> single_columns(const Set& set) {
  std::vector<Names> out;
  for (const Dimension& dimension : set.dimensions) out.push_back({dimension.name});
  return out;
}

void print_frontiers(const std::optional<Set>& adult, const Set& clinic, const Ks& ks) {
  fmt::print("\n### Error against k\n\nMean error of counts in per cent, of one declared column:\n");
  print_error_heading(1, false);
  if (adult) draw_frontier(*adult, {{"occupation"}}, "occupation", ks);
  draw_frontier(clinic, {{"city"}}, "city", ks);
  fmt::print("\nOf each single column, all declared with equal weight:\n");
  print_error_heading(2, false);
  if (adult) draw_frontier(*adult, single_columns(*adult), "each column", ks);
  draw_frontier(clinic, single_columns(clinic), "each column", ks);
}

void compare_cup(const std::string& datasets, std::size_t sample) {
  const auto cup = read_cup(datasets);
  if (!cup) return skip("CUP");
  compare(*cup, *cup, {5, 50}, sample);
}

}  // namespace

int main(int argc, char** argv) {
  bool is_quick = false;
  std::string clinic_file;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (argument == "--quick") {
      is_quick = true;
    } else if (!argument.starts_with("--") && clinic_file.empty()) {
      clinic_file = argument;
    } else {
      fmt::print(stderr, "unknown argument {}\n", argument);
      return 2;
    }
  }
  const char* given = std::getenv("PGVEIL_DATASETS");
  const std::string datasets = given != nullptr ? given : PGVEIL_SOURCE_DIR "/../shared/datasets";
  const auto clinic = read_clinic(clinic_file);
  if (!clinic) {
    fmt::print(stderr, "cannot read the clinic's file \"{}\"\n", clinic_file);
    return 2;
  }
  const auto adult = read_adult(datasets, 9);
  const auto adult8 = read_adult(datasets, 8);
  const std::size_t sample = is_quick ? 5 : 20;
  if (adult && adult8) {
    compare(*adult, *adult8, is_quick ? Ks{5} : Ks{2, 5, 20, 100}, sample);
  } else {
    skip("ADULT");
  }
  if (!is_quick) compare_cup(datasets, sample);
  compare(*clinic, *clinic, is_quick ? Ks{5} : Ks{5, 50}, sample);
  print_targets(adult, *clinic);
  if (!is_quick) print_frontiers(adult, *clinic, {2, 3, 5, 10, 20, 50, 100});
  return 0;
}
