// What threads bring: for each of the reference's optima, time on the clock with one thread and with several,
// in turns. And what they would bring on processors that are free: the parts are done one after the other,
// and of each division only the longest part's processor time counts, and 5 µs for the division. That says
// something on a busy machine, too.
// Arguments: pairs (3), threads (2), algorithm (best_first), part of a configuration's name.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "bench/engine/reference.hpp"
#include "common/workers.hpp"

namespace {

using namespace pgveil::engine;

struct Run {
  double ms = 0;
  SearchResult result;
};

Run run(const PreparedTable& table, const SearchOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  auto result = search(table, options);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  if (result.has_error()) {
    fmt::print(stderr, "{}\n", pgveil::one_line(result.error()));
    std::exit(1);
  }
  return {took.count(), std::move(*result)};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double cpu_ms() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// On free processors, from the times of the parts: all of them one after the other ÷ the critical path.
double modelled_ratio(const PreparedTable& table, SearchOptions options, std::size_t threads) {
  constexpr double kDivisionMs = 0.005;
  double saved_ms = 0;
  options.parallel = {threads, [&](std::size_t parts, const auto& work) {
                        // Dealt to the thread that is free first, as a scheduler would.
                        std::vector<double> busy(threads, 0);
                        double sum = 0;
                        for (std::size_t part = 0; part < parts; ++part) {
                          const double start = cpu_ms();
                          work(part);
                          const double ms = cpu_ms() - start;
                          *std::ranges::min_element(busy) += ms;
                          sum += ms;
                        }
                        saved_ms += sum - std::ranges::max(busy) - kDivisionMs;
                      }};
  const double start = cpu_ms();
  static_cast<void>(search(table, options));
  const double one = cpu_ms() - start;
  return one / (one - saved_ms);
}

bool are_same(const SearchResult& a, const SearchResult& b) {
  return a.optimum.has_value() == b.optimum.has_value() && a.counts.checks == b.counts.checks &&
         (!a.optimum || (a.optimum->levels == b.optimum->levels && a.optimum->score == b.optimum->score));
}

void compare(const PreparedTable& table, const reference::Row& row, Algorithm algorithm, int pairs,
             std::size_t threads) {
  auto options = reference::options(row, table.rows);
  options.algorithm = algorithm;
  pgveil::Workers workers(threads);
  const Parallel many{threads, [&](std::size_t parts, const auto& work) { workers.run(parts, work); }};
  std::vector<double> one_ms, many_ms, ratios;
  bool is_same = true;
  std::size_t bytes = 0;
  std::uint64_t checks = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    options.parallel = {};
    const auto one = run(table, options);
    options.parallel = many;
    const auto divided = run(table, options);
    one_ms.push_back(one.ms);
    many_ms.push_back(divided.ms);
    ratios.push_back(one.ms / divided.ms);
    is_same = is_same && are_same(one.result, divided.result);
    bytes = divided.result.bytes;
    checks = divided.result.counts.checks;
  }
  std::vector<double> modelled;
  for (int pair = 0; pair < pairs; ++pair) modelled.push_back(modelled_ratio(table, options, threads));
  fmt::print("| {} | {} | {} | {:.3f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} | {} |\n",
             reference::describe(row), checks, table.distinct.size(),
             median(one_ms) / static_cast<double>(checks), median(one_ms), median(many_ms), median(ratios),
             std::ranges::min(one_ms) / std::ranges::min(many_ms), median(modelled),
             static_cast<double>(bytes) / 1e6, is_same ? "yes" : "NO");
}

Algorithm algorithm_of(std::string_view text) {
  for (std::size_t i = 0; i < kAlgorithms; ++i) {
    if (name(static_cast<Algorithm>(i)) == text) return static_cast<Algorithm>(i);
  }
  fmt::print(stderr, "no such algorithm\n");
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const int pairs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
  const std::size_t threads = argc > 2 ? static_cast<std::size_t>(std::max(1, std::atoi(argv[2]))) : 2;
  const std::string_view algorithm = argc > 3 ? argv[3] : "best_first";
  const std::string only = argc > 4 ? argv[4] : "";
  const auto folder = reference::datasets_folder();
  if (folder.empty()) {
    fmt::print("skipped: no datasets beside the source tree (PGVEIL_DATASETS names another folder)\n");
    return 0;
  }
  fmt::print(
      "| configuration | checks | distinct rows | ms per check | 1 thread, ms | {} threads, ms | median of "
      "ratios | "
      "ratio of the best | free processors | MB | same |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      threads);
  std::map<std::vector<std::string>, PreparedTable> tables;
  for (const auto& row : reference::rows(folder)) {
    if (reference::describe(row).find(only) == std::string::npos) continue;
    if (!tables.contains(row.quasi_identifiers)) {
      tables.clear();
      tables.emplace(row.quasi_identifiers, reference::load(folder, row));
    }
    compare(tables.at(row.quasi_identifiers), row, algorithm_of(algorithm), pairs, threads);
  }
}
