#pragma once
// What the parts of the benchmark share: tables of the first n attributes of a set, and runs with their
// times.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/engine/reference.hpp"

namespace pgveil::bench::lattice {

struct Options {
  std::size_t least = 3, most = 15;     // attributes of the acs set
  std::size_t most_without_bounds = 7;  // … of the arm without prediction
  std::size_t most_flash = 15;
  std::size_t most_heuristics = 15;
  double limit_s = 1200;  // processor time of a run
  std::size_t threads = 1;
  bool quick = false;
  std::vector<std::string> heuristic_sets{"adult", "cup", "fars", "atus", "ihis", "acs15"};
  std::vector<std::string> parts{"scale", "explicit", "heuristics", "private"};
};

// The first n quasi-identifiers of the set's row with loss, k = 5, 5 %; nullopt if its data are not there.
struct Problem {
  std::string name;
  engine::PreparedTable table;
  engine::SearchOptions options;
};
[[nodiscard]] std::optional<Problem> problem(const std::string& set, std::size_t attributes);
// Of the whole row; 0: not there.
[[nodiscard]] std::size_t attributes_of(const std::string& set);

struct Improvement {
  double score = 0;
  std::uint64_t checks = 0;
  double ms = 0;
};

struct Run {
  engine::SearchResult result;
  double cpu_ms = 0;  // of all threads
  double clock_ms = 0;
  double free_ms = 0;  // that it would have taken if each thread had a processor
  std::vector<Improvement> improvements;
};

// The problem's options, changed; stopped after so much processor time. Exits if the search is refused.
[[nodiscard]] Run run(const Problem& problem, const engine::SearchOptions& options, double limit_ms,
                      std::size_t threads = 1);

[[nodiscard]] double cpu_ms();

void measure_scale(const Options& options);
void measure_explicit(const Options& options);
void measure_heuristics(const Options& options);
void measure_private_choices(const Options& options);

}  // namespace pgveil::bench::lattice
