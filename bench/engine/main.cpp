// The lattice engine against the reference's recorded times (README.md): one line for each of the reference's
// optima, the optimizations added one by one, and the cost of a check. CPU time of one thread; medians.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "bench/engine/reference.hpp"

namespace {

using namespace pgveil::engine;

double cpu_ms() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// What a check does, in small and without any of our code: a look-up and a probe for each of 2^18 keys.
double calibration_ms() {
  static std::vector<std::uint32_t> slots(1 << 14), map(1 << 12, 3);
  const double start = cpu_ms();
  std::uint32_t key = 1;
  for (std::uint32_t i = 0; i < 1U << 18; ++i) {
    key = key * 1664525 + 1013904223 + map[key >> 20];
    slots[key >> 18] += i;
  }
  const double ms = cpu_ms() - start;
  if (slots[0] == 1) fmt::print(" ");  // keeps the loop
  return ms;
}

// The lowest median seen on the machine of README.md, which is never quite quiet.
constexpr double kQuietCalibrationMs = 0.75;

struct Run {
  double ms = 0;
  SearchResult result;
};

Run run(const PreparedTable& table, const SearchOptions& options, int rounds) {
  Run made;
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const double start = cpu_ms();
    auto result = search(table, options);
    times.push_back(cpu_ms() - start);
    if (result.has_error()) {
      fmt::print(stderr, "{}\n", pgveil::one_line(result.error()));
      std::exit(1);
    }
    made.result = std::move(*result);
  }
  made.ms = median(times);
  return made;
}

using Tables = std::map<std::pair<std::vector<std::string>, std::string>, PreparedTable>;

const PreparedTable& table_of(Tables& tables, const std::string& folder, const reference::Row& row) {
  const std::pair key(row.quasi_identifiers, row.sensitive);
  const auto found = tables.find(key);
  if (found != tables.end()) return found->second;
  return tables.emplace(key, reference::load(folder, row)).first->second;
}

void against_reference(Tables& tables, const std::string& folder, const std::vector<reference::Row>& rows,
                       int rounds) {
  fmt::print(
      "| configuration | checks | reference | roll-ups | snapshot hits | MB | ms | reference ms | factor | "
      "ns per row and check | same |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& row : rows) {
    const auto& table = table_of(tables, folder, row);
    std::vector<double> kernel;
    for (int i = 0; i < 9; ++i) kernel.push_back(calibration_ms());
    const auto [ms, result] = run(table, reference::options(row, table.rows), rounds);
    const double expected = row.ms.value_or(0) * std::max(1.0, median(kernel) / kQuietCalibrationMs);
    const auto& counts = result.counts;
    const bool is_same = result.optimum && result.optimum->score.value() == row.score &&
                         result.optimum->levels == row.optimum && counts.checks <= row.checked;
    fmt::print("| {} | {} | {} | {} | {} | {:.1f} | {:.1f} | {} | {} | {:.2f} | {} |\n",
               reference::describe(row), counts.checks, row.checked, counts.roll_ups, counts.snapshot_hits,
               static_cast<double>(result.bytes) / 1e6, ms, row.ms ? fmt::format("{:.0f}", expected) : "–",
               row.ms ? fmt::format("{:.1f}", expected / ms) : "–",
               ms * 1e6 / static_cast<double>(counts.checks * table.rows), is_same ? "yes" : "NO");
  }
}

// Flash as in the paper, without bounds: nothing, + projection, + roll-up, + history, + bounds.
void one_by_one(Tables& tables, const std::string& folder, const std::vector<reference::Row>& rows) {
  constexpr Optimizations steps[] = {{Switch::off, Switch::off, Switch::off},
                                     {Switch::on, Switch::off, Switch::off},
                                     {Switch::on, Switch::on, Switch::off},
                                     {Switch::on, Switch::on, Switch::on}};
  fmt::print(
      "\n| configuration, ms | none | + projection | + roll-up | + history | + bounds "
      "|\n|---|---|---|---|---|---|\n");
  for (const auto& row : rows) {
    if (row.k != 5 || row.suppression != 0.04 || row.metric != "discernibility_monotonic") continue;
    const auto& table = table_of(tables, folder, row);
    auto options = reference::options(row, table.rows);
    options.pruning = Pruning::none;
    std::string line = fmt::format("| {} |", reference::describe(row));
    for (const auto& optimizations : steps) {
      options.optimizations = optimizations;
      line += fmt::format(" {:.1f} |", run(table, options, 1).ms);
    }
    options.pruning = Pruning::bounds;
    line += fmt::format(" {:.1f} |", run(table, options, 1).ms);
    fmt::print("{}\n", line);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const std::string only = argc > 2 ? argv[2] : "";
  const auto folder = reference::datasets_folder();
  if (folder.empty()) {
    fmt::print("skipped: no datasets beside the source tree (PGVEIL_DATASETS names another folder)\n");
    return 0;
  }
  auto rows = reference::rows(folder);
  std::erase_if(rows,
                [&](const auto& row) { return reference::describe(row).find(only) == std::string::npos; });
  Tables tables;
  against_reference(tables, folder, rows, rounds);
  if (!only.empty()) return 0;
  one_by_one(tables, folder, rows);
}
