#pragma once
// Which of the experiments of Kohlmayer et al. 2012, section VI, are to be run.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pgveil::bench::paper {

struct Options {
  std::vector<std::string> sets = {"adult", "cup", "fars"};
  std::vector<std::uint64_t> ks = {2, 5, 10};
  std::vector<double> rates = {0, 0.02, 0.04};
  double limit_s = 30;           // of one run
  std::uint64_t renamings = 10;  // of the stability experiment
};

// --full: five sets, k = 2 … 10; --quick: adult, k = 5; --sets=a,b; --k=2,5; --limit=SECONDS; --renamings=N.
// Throws std::runtime_error with what is wrong.
[[nodiscard]] Options read_options(std::span<char*> arguments);

}  // namespace pgveil::bench::paper
