#pragma once
// Checks a table against privacy models by engine/recount. For check-table, apply and certificates.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/policy_table/row_classes.hpp"
#include "engine/recount/table_check.hpp"

namespace pgveil::app {

struct TableDemand {
  std::vector<std::string> quasi_identifiers;
  std::vector<engine::CheckedColumn> sensitive;
  std::optional<std::string> null_text;
  // True for a published file, where a NULL outside the quasi-identifiers is an empty cell.
  bool is_empty_null = false;
  engine::CheckDemand demand;
  // Adds the population that presence and k_map compare with; empty: none is added.
  std::function<Result<void>(engine::TableCheck&)> add_population = {};
};

// Numbers that are equal are one value of a sensitive column, as they are for a job (alike_values.hpp).
// Unless the column's order is `number`, a demand must also hold if they are as many values as they are
// texts. Errors, kind configuration: a column that the table does not have; a table without rows; those of
// TableCheck and of engine::validate.
[[nodiscard]] Result<engine::CheckFindings> check_table(const engine::Table& table,
                                                        const TableDemand& demand);

// The same for a table of PostgreSQL, which the server counts. Only its distinct rows are held in memory, at
// most endpoint.counts_bytes of them. NULL is what the table says, whatever null_text is, and no population
// is added. Errors: also those of read_row_classes.
[[nodiscard]] Result<engine::CheckFindings> check_stored_table(const db::Endpoint& endpoint,
                                                               const db::TablePlace& place,
                                                               const TableDemand& demand,
                                                               const db::Progress& progress = {});

// The table without its hidden rows: those that show only `*` in the quasi-identifiers and NULL elsewhere,
// which are not counted. Its columns have no value of such rows alone, so hierarchies can be made for it.
// nulls: the texts of NULL outside the quasi-identifiers. nullopt: no row is hidden. If some rows that show
// only `*` show more elsewhere, all of them are counted, and none is hidden.
[[nodiscard]] std::optional<engine::Table> without_hidden_rows(
    const engine::Table& table, const std::vector<std::string>& quasi_identifiers,
    const std::vector<std::string>& nulls);

}  // namespace pgveil::app
