#pragma once
// The data sets and the reference's optima (datasets/README.md), for the benchmark and the test of truth.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/search/search.hpp"

namespace pgveil::engine::reference {

struct Row {
  std::string dataset;
  std::vector<std::string> quasi_identifiers;
  std::uint64_t k = 0;
  double suppression = 0;
  std::string metric;
  QualityModel quality;
  std::optional<ValueModel> model;  // beside k-anonymity, of `sensitive`
  std::string sensitive;
  std::vector<unsigned> optimum;
  double score = 0;
  std::uint64_t checked = 0;
  std::optional<double> ms;
};

// $PGVEIL_DATASETS, or datasets in the folder "shared" beside the source tree; empty if there is no such
// folder.
[[nodiscard]] std::string datasets_folder();

// The rows whose models the engine has and whose data are there: in the folder, or drawn into $PGVEIL_DRAWN
// (default build/bench/drawn) by the folder's make_synthetic.py.
[[nodiscard]] std::vector<Row> rows(const std::string& folder);

[[nodiscard]] PreparedTable load(const std::string& folder, const Row& row);

// The same with other names: the i-th quasi-identifier is called by order[i]. REQUIRES: a permutation.
[[nodiscard]] PreparedTable load_renamed(const std::string& folder, const Row& row,
                                         std::span<const std::size_t> order);

[[nodiscard]] SearchOptions options(const Row& row, std::uint64_t table_rows);

// "adult k=5 s=0.05 loss_geometric"
[[nodiscard]] std::string describe(const Row& row);

}  // namespace pgveil::engine::reference
