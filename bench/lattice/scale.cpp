// The paper's Tables 3 and 4, Figures 6 and 7: the acs set's first n attributes, best first, Flash, and
// without bounds.
#include <fmt/format.h>

#include "bench/lattice/runs.hpp"

namespace pgveil::bench::lattice {
namespace {

using namespace pgveil::engine;

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_run(const Problem& problem, std::string_view arm, const Run& run) {
  const auto& result = run.result;
  const std::uint64_t all = result.transformations.value_or(0);
  fmt::print(
      "| {} | {} | {} | {} ({:.3f} %) | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.2f} |"
      " {} |\n",
      problem.name, arm, all, result.counts.checks, percent(result.counts.checks, all),
      result.protection.inserts, percent(result.protection.hits, result.protection.questions),
      percent(result.quality.hits, result.quality.questions),
      percent(result.protection.most_members, result.protection.inserts),
      static_cast<double>(result.bytes) / 1e6, run.cpu_ms / 1e3, run.free_ms / 1e3, run.clock_ms / 1e3,
      result.is_proven ? fmt::format("{:.10f}", result.optimum->score.value())
      : result.optimum
          ? fmt::format("stopped: {:.4f} – {:.4f}", *result.lower_bound, result.optimum->score.value())
          : "stopped");
  std::fflush(stdout);
}

}  // namespace

void measure_scale(const Options& options) {
  fmt::print(
      "| set | arm | transformations | checks | inserts | hits, protection % | hits, quality % | antichain % "
      "| "
      "MB | CPU s | s on {} free processors | s on the clock | optimum |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      options.threads);
  std::string time_line =
      "\n| set | first found at ms | optimum found at check | at ms | proven at ms | quality on the way |\n"
      "|---|---|---|---|---|---|\n";
  for (std::size_t n = options.least; n <= options.most; ++n) {
    const auto it = problem("acs15", n);
    if (!it) return;
    auto chosen = it->options;
    chosen.algorithm = Algorithm::best_first;
    const auto best_first = run(*it, chosen, options.limit_s * 1e3, options.threads);
    print_run(*it, "best first", best_first);
    const auto& steps = best_first.improvements;
    if (!steps.empty()) {
      time_line += fmt::format("| {} | {:.0f} | {} | {:.0f} | {:.0f} |", it->name, steps.front().ms,
                               steps.back().checks, steps.back().ms, best_first.cpu_ms);
      for (const auto& step : steps) time_line += fmt::format(" {:.0f}: {:.4f}", step.ms, 1 - step.score);
      time_line += " |\n";
    }
    chosen.algorithm = Algorithm::flash;
    if (n <= options.most_flash)
      print_run(*it, "Flash", run(*it, chosen, options.limit_s * 1e3, options.threads));
    chosen.algorithm = Algorithm::best_first;
    chosen.pruning = Pruning::none;
    if (n <= options.most_without_bounds)
      print_run(*it, "without prediction of quality",
                run(*it, chosen, options.limit_s * 1e3, options.threads));
  }
  fmt::print("{}", time_line);
}

}  // namespace pgveil::bench::lattice
