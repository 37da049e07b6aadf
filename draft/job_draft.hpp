#pragma once
// Proposes a job that publishes a file: a class for each column, with the reason, and what the columns need.
// Somebody reads and changes it before it is run, so what is unclear becomes a quasi-identifier, which
// protects most. Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/data/table.hpp"

namespace pgveil::draft {

struct JobDraftRequest {
  std::string file;  // as the job names it
  char separator = ',';
  std::optional<std::string> null_text;
  std::uint64_t k = 5;
  std::size_t nameless = 0;  // columns of the file that the table does not have, because they have no name
};

// The job as commented YAML, for `algorithm: least_loss`. It has no value of the table. REQUIRES: the table
// has a row.
[[nodiscard]] std::string draft_job(const engine::Table& table, const JobDraftRequest& request);

// Whether the names of the columns look like a record, so that the file has no header: all of them are
// numbers or dates over a column of such values, or occur among the values of their column, or there is one
// of each. A table of countries by year, whose names are partly numbers, has a header.
[[nodiscard]] bool begins_with_data(const engine::Table& table);

// The separator of a file that begins with these bytes, among comma, semicolon, tab and bar: the one that
// gives the most columns, with as many cells in each record. A comma if none gives two columns.
[[nodiscard]] char guess_separator(std::string_view beginning);

}  // namespace pgveil::draft
