#pragma once
// Reads what is demanded of a table, from words and from jobs. For check-table and for the console's CHECK
// TABLE.
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

// null_text: what stands for NULL in the table. Errors: kind usage for words that name no model or order.
[[nodiscard]] Result<TableDemand> demand_of(const DemandWords& words,
                                            const std::optional<std::string>& null_text);

// What a job promises, without presence and k_map. values: a table with the values for which hierarchies
// given by a rule are made. Errors: those of checked_columns.
[[nodiscard]] Result<TableDemand> demand_of(const Job& job, const engine::Table& values);

// Why k by the job's unit is not demanded of a published table: "household: …". REQUIRES: job.unit.
[[nodiscard]] std::string unit_not_counted(const Job& job);

// Removes the models whose distance is in a hierarchy, and returns them as text, "illness t_closeness 0.2
// hierarchical".
[[nodiscard]] std::vector<std::string> without_hierarchical(TableDemand& demand);

}  // namespace pgveil::app
