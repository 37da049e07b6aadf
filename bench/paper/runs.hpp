#pragma once
// Single runs of the paper's experiment: the monotonic discernibility metric, no bounds (the paper has none)
// unless said.
#include "bench/engine/reference.hpp"

namespace pgveil::bench::paper {

struct Setting {
  engine::Algorithm algorithm = engine::Algorithm::flash;
  engine::Pruning pruning = engine::Pruning::none;
  std::uint64_t k = 5;
  double rate = 0;
};

struct Run {
  double ms = 0;  // CPU time of the thread
  engine::SearchResult result;
};

// Stopped after `limit_s` seconds: then result.is_proven is false.
[[nodiscard]] Run run(const engine::PreparedTable& table, const Setting& setting, double limit_s);

// The cost model of Kohlmayer et al. 2012, section VI-E: Σ t_c · t_r + c · t_r, with the active columns and
// rows of each check.
[[nodiscard]] double costs(const Run& run, std::size_t columns);

// A set's quasi-identifiers; empty if the reference has no row for it, or its data are not there.
[[nodiscard]] std::optional<engine::reference::Row> find_set(const std::vector<engine::reference::Row>& rows,
                                                             const std::string& set);

}  // namespace pgveil::bench::paper
