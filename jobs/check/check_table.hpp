#pragma once
// A table held against privacy models by engine/recount. For check-table, apply and certificates.
#include <functional>
#include <string>
#include <vector>

#include "db/policy_table/row_classes.hpp"
#include "engine/recount/table_check.hpp"

namespace pgveil::app {

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

// Errors, kind configuration: a column that the table has not; no row; those of TableCheck and of
// engine::validate.
[[nodiscard]] Result<engine::CheckFindings> check_table(const engine::Table& table,
                                                        const TableDemand& demand);

// The same of a table of PostgreSQL, which the server counts: what is held here are its different rows, and
// at most endpoint.counts_bytes of them. NULL is what the table says, whatever null_text is; nothing adds a
// population. Errors: also those of read_row_classes.
[[nodiscard]] Result<engine::CheckFindings> check_stored_table(const db::Endpoint& endpoint,
                                                               const db::TablePlace& place,
                                                               const TableDemand& demand,
                                                               const db::Progress& progress = {});

}  // namespace pgveil::app
