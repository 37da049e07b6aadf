// The paper's Table 5: what a search finds in the time that IGreedy takes, for 3 to all attributes of each
// set.
#include <fmt/format.h>

#include <algorithm>

#include "bench/lattice/runs.hpp"

namespace pgveil::bench::lattice {
namespace {

using namespace pgveil::engine;

// Quality 1 − loss; nothing found is none.
double quality(const Run& run) {
  return run.result.optimum ? 1 - run.result.optimum->score.value() : 0;
}

struct Gain {
  double least = 1e300, most = -1e300, sum = 0;
  std::size_t count = 0;
  void add(double percent) {
    least = std::min(least, percent);
    most = std::max(most, percent);
    sum += percent;
    ++count;
  }
};

Run run_with(const Problem& it, Algorithm algorithm, double limit_ms) {
  auto chosen = it.options;
  chosen.algorithm = algorithm;
  return run(it, chosen, limit_ms);
}

}  // namespace

void measure_heuristics(const Options& options) {
  fmt::print(
      "\n| set | IGreedy, ms | its quality | DataFly | beam in that time | gain % | best first in that time "
      "| "
      "gain % | beam to its end, ms | quality |\n|---|---|---|---|---|---|---|---|---|---|\n");
  std::string summary = "\n| set | runs | least gain of beam % | most | mean |\n|---|---|---|---|---|\n";
  for (const auto& set : options.heuristic_sets) {
    const std::size_t most = std::min(attributes_of(set), options.most_heuristics);
    Gain gain;
    for (std::size_t n = 3; n <= most; ++n) {
      const auto it = problem(set, n);
      if (!it) break;
      // The least of three runs, which is the hardest on the others.
      Run greedy = run_with(*it, Algorithm::igreedy, options.limit_s * 1e3);
      for (int again = 0; again < 2; ++again) {
        Run once = run_with(*it, Algorithm::igreedy, options.limit_s * 1e3);
        if (once.cpu_ms < greedy.cpu_ms) greedy = std::move(once);
      }
      // Less than a millisecond is given as one: the clock's own cost would decide.
      const double limit_ms = std::max(1.0, greedy.cpu_ms);
      const Run datafly = run_with(*it, Algorithm::datafly, options.limit_s * 1e3);
      const Run beam = run_with(*it, Algorithm::beam, limit_ms);
      const Run best_first = run_with(*it, Algorithm::best_first, limit_ms);
      const Run whole = run_with(*it, Algorithm::beam, options.limit_s * 1e3);
      const auto percent = [&](const Run& other) { return 100 * (quality(other) / quality(greedy) - 1); };
      gain.add(percent(beam));
      fmt::print("| {} | {:.1f} | {:.4f} | {:.4f} | {:.4f} | {:.2f} | {:.4f} | {:.2f} | {:.1f} | {:.4f} |\n",
                 it->name, greedy.cpu_ms, quality(greedy), quality(datafly), quality(beam), percent(beam),
                 quality(best_first), percent(best_first), whole.cpu_ms, quality(whole));
      std::fflush(stdout);
    }
    if (gain.count > 0)
      summary += fmt::format("| {} | {} | {:.2f} | {:.2f} | {:.2f} |\n", set, gain.count, gain.least,
                             gain.most, gain.sum / static_cast<double>(gain.count));
  }
  fmt::print("{}", summary);
}

}  // namespace pgveil::bench::lattice
