// Large lattices (README.md): how far a proof goes, what prediction and the implicit lattice bring, and what
// heuristics and private choices find.
// Arguments: --quick; --least=N, --most=N attributes; --limit=SECONDS; --threads=N;
// --part=scale|explicit|heuristics|private.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/lattice/runs.hpp"

namespace {

using pgveil::bench::lattice::Options;

void set_quick(Options& options) {
  options.quick = true;
  options.most = 8;
  options.most_without_bounds = 6;
  options.most_heuristics = 8;
  options.heuristic_sets = {"adult", "cup", "acs15"};
}

bool read(std::string_view argument, Options& options) {
  if (argument == "--quick") {
    set_quick(options);
    return true;
  }
  const auto equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const auto key = argument.substr(0, equals);
  const std::string value(argument.substr(equals + 1));
  const auto number = static_cast<std::size_t>(std::atoi(value.c_str()));
  if (key == "--part") {
    options.parts = {value};
  } else if (number == 0) {
    return false;
  } else if (key == "--least") {
    options.least = number;
  } else if (key == "--most") {
    options.most = number;
  } else if (key == "--limit") {
    options.limit_s = static_cast<double>(number);
  } else if (key == "--threads") {
    options.threads = number;
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (read(argv[i], options)) continue;
    fmt::print(stderr, "unknown argument {}\n", argv[i]);
    return 2;
  }
  if (pgveil::bench::lattice::attributes_of("acs15") == 0) {
    fmt::print("skipped: no datasets beside the source tree, or acs15 was not drawn\n");
    return 0;
  }
  for (const auto& part : options.parts) {
    if (part == "scale") pgveil::bench::lattice::measure_scale(options);
    if (part == "explicit") pgveil::bench::lattice::measure_explicit(options);
    if (part == "heuristics") pgveil::bench::lattice::measure_heuristics(options);
    if (part == "private") pgveil::bench::lattice::measure_private_choices(options);
  }
}
