// Kohlmayer et al. 2012, section VI, with this engine (README.md): Flash, OLA and Incognito for each set,
// suppression rate and k; the spans of its figures 14, 16 and 17; and the stability experiment of VI-E.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "bench/paper/options.hpp"
#include "bench/paper/runs.hpp"

namespace {

using namespace pgveil::bench::paper;
using namespace pgveil::engine;

struct Span {
  double least = 1e300, most = 0;
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};
std::string text(const Span& span, int digits) {
  return span.most == 0 ? "–" : fmt::format("{:.{}f} – {:.{}f}", span.least, digits, span.most, digits);
}

struct Spans {
  Span flash_s, ola, incognito, flash_mb, bounds;
};

void print_run(const std::string& set, const Setting& setting, const std::string& label, const Run& run,
               double flash_ms) {
  const auto& counts = run.result.counts;
  fmt::print("| {} | {}% | {} | {} | {}{:.1f} | {} | {} | {} | {:.1f} | {:.2f} |\n", set, setting.rate * 100,
             setting.k, label, run.result.is_proven ? "" : "stopped at ", run.ms, counts.checks,
             counts.roll_ups, counts.snapshot_hits, static_cast<double>(run.result.bytes) / 1e6,
             run.ms / flash_ms);
}

void compare(const std::string& set, const PreparedTable& table, Setting setting, double limit_s,
             Spans& spans) {
  setting.algorithm = Algorithm::flash;
  const Run flash = run(table, setting, limit_s);
  spans.flash_s.add(flash.ms / 1e3);
  spans.flash_mb.add(static_cast<double>(flash.result.bytes) / 1e6);
  print_run(set, setting, "flash", flash, flash.ms);
  const std::pair<Algorithm, Span*> others[] = {{Algorithm::ola, &spans.ola},
                                                {Algorithm::incognito, &spans.incognito}};
  for (const auto& [algorithm, span] : others) {
    setting.algorithm = algorithm;
    const Run other = run(table, setting, limit_s);
    if (other.result.is_proven && flash.result.is_proven) {
      span->add(other.ms / flash.ms);
      const auto& mine = other.result.optimum;
      const auto& theirs = flash.result.optimum;
      if (mine.has_value() != theirs.has_value() || (mine && mine->levels != theirs->levels))
        throw std::runtime_error("the algorithms do not agree");
    }
    print_run(set, setting, std::string(name(algorithm)), other, flash.ms);
  }
  setting.algorithm = Algorithm::flash;
  setting.pruning = Pruning::bounds;
  const Run bounds = run(table, setting, limit_s);
  spans.bounds.add(flash.ms / bounds.ms);
  print_run(set, setting, "flash with bounds", bounds, flash.ms);
}

// Columns stand in the order of their names inside, so permuting them is renaming them.
void stability(const std::string& folder, const reference::Row& row, const Options& options) {
  std::map<Algorithm, Span> spans;
  std::vector<std::size_t> order(row.quasi_identifiers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::uint64_t seed = 1;
  for (std::uint64_t n = 0; n < options.renamings; ++n) {
    const auto table = reference::load_renamed(folder, row, order);
    for (const auto algorithm : {Algorithm::flash, Algorithm::ola}) {
      const Run done = run(table, {algorithm, Pruning::none, 5, 0.02}, options.limit_s);
      if (done.result.is_proven) spans[algorithm].add(costs(done, order.size()) / 1e6);
    }
    for (std::size_t i = order.size(); i > 1; --i) {
      seed = seed * 6364136223846793005 + 1442695040888963407;
      std::swap(order[i - 1], order[(seed >> 33) % i]);
    }
  }
  fmt::print("| {} | {} | {} |\n", row.dataset, text(spans[Algorithm::flash], 1),
             text(spans[Algorithm::ola], 1));
}

void measure(const std::string& folder, const Options& options) {
  const auto rows = reference::rows(folder);
  std::map<std::string, std::map<double, Spans>> spans;
  fmt::print(
      "| set | suppression | k | algorithm | ms | checks | roll-ups | snapshot hits | MB | factor to Flash "
      "|\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& set : options.sets) {
    const auto row = find_set(rows, set);
    if (!row) {
      fmt::print(stderr, "skipped: {} is not there\n", set);
      continue;
    }
    const auto table = reference::load(folder, *row);
    for (const double rate : options.rates) {
      for (const auto k : options.ks) {
        fmt::print(stderr, "{} {}% k={}\n", set, rate * 100, k);
        compare(set, table, {Algorithm::flash, Pruning::none, k, rate}, options.limit_s, spans[set][rate]);
      }
    }
  }
  fmt::print(
      "\n| set | suppression | Flash, s | OLA, factor | Incognito, factor | Flash, MB | bounds, times faster "
      "|\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const auto& [set, rates] : spans) {
    for (const auto& [rate, span] : rates)
      fmt::print("| {} | {}% | {} | {} | {} | {} | {} |\n", set, rate * 100, text(span.flash_s, 3),
                 text(span.ola, 1), text(span.incognito, 1), text(span.flash_mb, 1), text(span.bounds, 1));
  }
  fmt::print("\n| costs (VI-E) in millions, k = 5, 2 %, {} renamings | Flash | OLA |\n|---|---|---|\n",
             options.renamings);
  for (const auto& [set, rates] : spans) stability(folder, *find_set(rows, set), options);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    const auto options = read_options(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    const auto folder = reference::datasets_folder();
    if (folder.empty()) {
      fmt::print("skipped: no datasets beside the source tree (PGVEIL_DATASETS names another folder)\n");
      return 0;
    }
    measure(folder, options);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "bench paper: {}\n", failure.what());
    return 1;
  }
}
