#pragma once
// Tables as a catalog and a sample would tell of them, for tests.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "draft/facts.hpp"

namespace pgveil::draft {

// columns: "patient_id int4", "name text", "mood enum", … The first one is the primary key.
[[nodiscard]] TableFacts made_table(const std::string& name, const std::vector<std::string>& columns,
                                    double rows = 100'000);

// Gives a table a sample. value(row, column): the text of a cell, which may be kSampleNull.
using CellValue = std::function<std::string(std::size_t row, const std::string& column)>;
void add_sample(TableFacts& table, std::size_t rows, const CellValue& value);

[[nodiscard]] std::size_t position(const TableFacts& table, std::string_view column);
// Adds a foreign key of one column.
void refer(Database& database, std::string_view table, std::string_view column, std::string_view target);

}  // namespace pgveil::draft
