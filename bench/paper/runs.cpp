#include "bench/paper/runs.hpp"

#include <algorithm>
#include <ctime>
#include <stdexcept>

namespace pgveil::bench::paper {
namespace {

double cpu_ms() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

Run run(const engine::PreparedTable& table, const Setting& setting, double limit_s) {
  engine::SearchOptions options;
  options.algorithm = setting.algorithm;
  options.pruning = setting.pruning;
  options.anonymity = {setting.k, engine::suppression_limit(setting.rate, table.rows)};
  options.quality.metric = engine::Metric::discernibility_monotonic;
  const double start = cpu_ms();
  options.stop = [&] { return cpu_ms() - start > limit_s * 1e3; };
  auto result = engine::search(table, options);
  if (result.has_error()) throw std::runtime_error(one_line(result.error()));
  return {cpu_ms() - start, std::move(*result)};
}

double costs(const Run& run, std::size_t columns) {
  const auto& counts = run.result.counts;
  return static_cast<double>(counts.cells_transformed + columns * counts.rows_grouped);
}

std::optional<engine::reference::Row> find_set(const std::vector<engine::reference::Row>& rows,
                                               const std::string& set) {
  const auto found = std::ranges::find(rows, set, &engine::reference::Row::dataset);
  if (found == rows.end()) return std::nullopt;
  return *found;
}

}  // namespace pgveil::bench::paper
