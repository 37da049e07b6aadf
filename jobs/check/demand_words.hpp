#pragma once
// What is demanded of a table, from words and from jobs: for check-table and for the console's CHECK TABLE.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/check/check_table.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

struct DemandWords {
  std::vector<std::string> columns, sensitive;  // columns: the quasi-identifiers
  std::optional<std::uint64_t> k;
  std::vector<std::string> required;  // "illness=distinct 3"
  std::vector<std::string> orders;    // "income=number", "=text", "=low,mid,high"
  std::vector<std::string> risks;     // "average_risk 0.05"
};

// null_text: what stands for NULL in the table. Errors: kind usage: words that say no model or order.
[[nodiscard]] Result<TableDemand> demand_of(const DemandWords& words,
                                            const std::optional<std::string>& null_text);

// What a job promises, but for presence and k_map. values: where hierarchies that are rules find the values
// they are made for. Errors: those of checked_columns.
[[nodiscard]] Result<TableDemand> demand_of(const Job& job, const engine::Table& values);

// Takes out the models whose distance is in a hierarchy → what was taken, "illness t_closeness 0.2
// hierarchical".
[[nodiscard]] std::vector<std::string> without_hierarchical(TableDemand& demand);

}  // namespace pgveil::app
