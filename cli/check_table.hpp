#pragma once
// A table held against privacy models by engine/recount. For check-table, apply and certificates.
#include <functional>
#include <string>
#include <vector>

#include "engine/recount/table_check.hpp"

namespace pgveil::cli {

struct TableDemand {
  std::vector<std::string> quasi_identifiers;
  std::vector<engine::CheckedColumn> sensitive;
  std::optional<std::string> null_text;
  // In a published file a NULL that is no quasi-identifier's is an empty cell.
  bool is_empty_null = false;
  engine::CheckDemand demand;
  // Adds what presence and k_map compare with; empty: nothing does.
  std::function<Result<void>(engine::TableCheck&)> add_population = {};
};

// Errors, kind configuration: a column that the table has not; no row; those of TableCheck and of engine::validate.
[[nodiscard]] Result<engine::CheckFindings> check_table(const engine::Table& table,
                                                        const TableDemand& demand);

}  // namespace pgveil::cli
